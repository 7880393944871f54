package dev.howdah.task;

import dev.howdah.Database;
import dev.howdah.internal.run.Background;
import dev.howdah.internal.wire.WireConnection;
import dev.howdah.internal.wire.WireException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions in which local tasks run: opened when there is work, reused in turn, closed when idle, but for one that
 * stays ready. A lane gets a session that it has not had before while there is one or room for one, so that tasks that
 * follow each other see sessions of their own, as in the extension (specification, section 10). All methods belong to
 * the scheduler's thread; sessions are opened in the background and arrive by its mailbox.
 */
final class Sessions {
    private static final Logger log = LoggerFactory.getLogger(Sessions.class);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LAST_PAUSE = Duration.ofSeconds(2);
    private static final Duration IDLE = Duration.ofSeconds(10);
    private static final Duration RETRY = Duration.ofSeconds(1);

    /** As many sessions are opened for lanes that have had all there are; beyond it they are reused. */
    private static final int RING = 24;

    private static final Database ELSEWHERE = Database.of("dbname=-", Map.of());

    private final Database database;
    private final SessionNames names;
    private final SessionQuota.Share share;
    private final SessionQuota.Share remoteShare;
    private final ErrorText remoteErrors;
    private final String done;
    private final Background background;
    private final Deque<TaskSession> idle = new ArrayDeque<>();
    private final Set<TaskSession> busy = new HashSet<>();

    /** Rights to run a task at another server that have just come. */
    private final Deque<SessionQuota.Place> remotePlaces = new ArrayDeque<>();

    private boolean remoteWanted;

    /** All there are, also those on their way to the mailbox; and whose place each has, if it needs one. */
    private final Map<TaskSession, Optional<SessionQuota.Place>> open = new ConcurrentHashMap<>();

    private int opening;
    private int wanted;

    /** How many idle sessions stay. */
    private int kept;

    private long noMoreBefore = System.nanoTime();
    private boolean refused;
    private volatile boolean closed;

    Sessions(Database database, SessionNames names, Quotas quotas, ErrorText remoteErrors, Background background) {
        this.database = database;
        this.names = names;
        this.remoteErrors = remoteErrors;
        this.done = names.table().sql("session.sql").text("done");
        this.background = background;
        this.share = quotas.local().join(database, new SessionQuota.Holder() {
            @Override
            public void granted(SessionQuota.Place place) {
                background.post(() -> open(place));
            }

            @Override
            public void reclaim() {
                background.post(() -> {}); // what is idle after the next round is closed
            }
        });
        this.remoteShare = quotas.remote().join(ELSEWHERE, new SessionQuota.Holder() {
            @Override
            public void granted(SessionQuota.Place place) {
                background.post(() -> remotePlaces.add(place));
            }

            @Override
            public void reclaim() {
                // None is kept idle.
            }
        });
    }

    /**
     * Opens one session now, in the caller's thread, and keeps it ready where there is room for it; says what it was told
     * at its start.
     */
    @Nullable
    String openFirst(String parameter) throws WireException {
        SessionQuota.Place place = share.takeSpare();
        TaskSession session = open(database, names.local(), false, place);
        String value = session.parameter(parameter);
        if (place == null) end(session);
        else idle.addLast(session);
        share.idle(!idle.isEmpty());
        return value;
    }

    private TaskSession open(
            Database where, Map<String, String> startup, boolean remote, SessionQuota.@Nullable Place place)
            throws WireException {
        try {
            WireConnection wire = WireConnection.open(where, startup, CONNECT_TIMEOUT);
            TaskSession session = new TaskSession(wire, remote, names.application(), remoteErrors, done);
            open.put(session, Optional.ofNullable(place));
            if (closed) end(session);
            return session;
        } catch (WireException | RuntimeException e) {
            if (place != null) place.close();
            throw e;
        }
    }

    private void end(TaskSession session) {
        Optional<SessionQuota.Place> place = open.remove(session);
        session.close();
        if (place != null) place.ifPresent(SessionQuota.Place::close);
    }

    /** A clean session for a lane; null if there is none now. */
    @Nullable
    TaskSession acquire(LaneKey lane) {
        dropUnusable();
        TaskSession found = null;
        for (TaskSession session : idle) {
            if (!session.hasServed(lane)) {
                found = session;
                break;
            }
        }
        if (found == null && (total() >= RING || !mayOpen() || !share.hasRoom())) found = idle.peekFirst();
        if (found == null) return null;
        idle.remove(found);
        busy.add(found);
        kept = 0; // whether to keep it is asked anew when it has been idle
        share.idle(!idle.isEmpty());
        return found;
    }

    private void dropUnusable() {
        Iterator<TaskSession> each = idle.iterator();
        while (each.hasNext()) {
            TaskSession session = each.next();
            if (session.isUsable()) continue;
            each.remove();
            end(session);
        }
    }

    /** A session that is clean again, or unusable. */
    void release(TaskSession session) {
        busy.remove(session);
        session.rested();
        if (!session.isUsable() || closed) {
            end(session);
        } else if (share.yields()) {
            background.run(() -> end(session));
        } else {
            idle.addLast(session);
            share.idle(true);
        }
    }

    /** Whether a session that could go on with its lane is needed elsewhere. */
    boolean wouldYield() {
        return share.wouldYield();
    }

    /** Tasks of this lane could start if there were sessions for them. */
    void want(Lane lane) {
        wanted = Math.min(wanted + lane.startableCount(share.most()), share.most());
    }

    /** The right to run one more task at another server; null if there is none now. */
    SessionQuota.@Nullable Place takeRemote() {
        SessionQuota.Place place = remotePlaces.isEmpty() ? remoteShare.take() : remotePlaces.poll();
        remoteWanted |= place == null;
        return place;
    }

    /** Opens what is {@linkplain #want wanted}, and one more to be ready for the next task; closes what others want. */
    void openWanted() {
        leaveRemoteToOthers();
        if (!idle.isEmpty() && (share.isWanted() || (kept > 0 && !share.keeps()))) giveUpIdle();
        int count = wanted - opening;
        if (wanted == 0) share.enough();
        wanted = 0;
        if (!mayOpen()) return;
        for (int i = 0; i < count; i++) {
            SessionQuota.Place place = share.take();
            if (place == null) return;
            open(place);
        }
        if (idle.isEmpty() && opening == 0 && total() < RING) {
            SessionQuota.Place place = share.takeSpare();
            if (place != null) open(place);
        }
    }

    private void leaveRemoteToOthers() {
        if (!remoteWanted) remoteShare.enough();
        remoteWanted = false;
        for (SessionQuota.Place place = remotePlaces.poll(); place != null; place = remotePlaces.poll()) place.close();
    }

    private void open(SessionQuota.Place place) {
        opening++;
        background.run(() -> tryToOpen(place), this::opened);
    }

    /** A session, or why there is none. */
    private record Opening(
            @Nullable TaskSession session, @Nullable WireException failure) {}

    private Opening tryToOpen(SessionQuota.Place place) {
        try {
            return new Opening(open(database, names.local(), false, place), null);
        } catch (WireException e) {
            return new Opening(null, e);
        }
    }

    private void opened(Opening opening) {
        if (opening.failure() != null) notOpened(opening.failure());
        if (opening.session() == null) return;
        this.opening--;
        refused = false;
        idle.addFirst(opening.session());
        share.idle(true);
    }

    /** Tasks wait until there is a session for them; they do not fail for the want of one. */
    private void notOpened(WireException e) {
        opening--;
        noMoreBefore = System.nanoTime() + RETRY.toNanos();
        if (!refused) log.warn("no further session for tasks: {}; trying again every second", e.getMessage());
        refused = true;
    }

    private boolean mayOpen() {
        return System.nanoTime() - noMoreBefore >= 0;
    }

    /** What becomes of a session at another server; exactly one of the three is called, by the mailbox. */
    interface RemoteOpening {
        void opened(TaskSession session);

        /** The server is full or just starting: it may take one later. */
        void busy(String reason);

        void failed(String reason);
    }

    /** Opens a session at another server, in the background. */
    void openRemote(String remote, SessionQuota.Place place, RemoteOpening opening) {
        background.run(() -> tryToOpen(remote, place, opening), Runnable::run);
    }

    private Runnable tryToOpen(String remote, SessionQuota.Place place, RemoteOpening opening) {
        try {
            TaskSession session = open(address(remote, place), names.remote(), true, place);
            return () -> {
                busy.add(session);
                opening.opened(session);
            };
        } catch (WireException e) {
            String reason = String.valueOf(e.getMessage());
            boolean later = e.sqlState().equals("53300") || e.sqlState().equals("57P03");
            return later ? () -> opening.busy(reason) : () -> opening.failed(reason);
        } catch (IllegalArgumentException e) {
            return () -> opening.failed(String.valueOf(e.getMessage()));
        }
    }

    private static Database address(String remote, SessionQuota.Place place) {
        try {
            return Database.of(remote);
        } catch (IllegalArgumentException e) {
            place.close();
            throw e;
        }
    }

    /** A session that nobody listens to, and how many seconds old it is at least. */
    record Left(int pid, double age) {}

    /**
     * Ends sessions that nobody listens to any more, where tasks of that lane run; returns when they are gone, however
     * long it takes to reach their server, or false when this is closed. For any thread.
     */
    boolean endElsewhere(@Nullable String remote, List<Left> left) {
        Duration pause = FIRST_PAUSE;
        String told = "";
        while (!closed) {
            try {
                if (endNow(remote, left, pause)) return true;
            } catch (WireException | IllegalArgumentException e) {
                String reason = String.valueOf(e.getMessage());
                if (!reason.equals(told))
                    log.warn("sessions that nobody listens to cannot be ended, their tasks wait for that: {}", reason);
                told = reason;
            }
            pause = pause.multipliedBy(2).compareTo(LAST_PAUSE) > 0 ? LAST_PAUSE : pause.multipliedBy(2);
            if (!pause(pause)) return false;
        }
        return false;
    }

    private boolean endNow(@Nullable String remote, List<Left> left, Duration before) throws WireException {
        TaskSession session = remote == null
                ? open(database, names.local(), false, null)
                : open(Database.of(remote), names.remote(), true, null);
        try {
            Duration pause = before;
            for (int i = 0; i < 10 && !closed; i++) {
                if (!session.endOthers(left)) return true;
                if (!pause(pause)) return false;
                pause = pause.multipliedBy(2).compareTo(LAST_PAUSE) > 0 ? LAST_PAUSE : pause.multipliedBy(2);
            }
            return false;
        } finally {
            end(session);
        }
    }

    private static boolean pause(Duration time) {
        try {
            TimeUnit.MILLISECONDS.sleep(time.toMillis());
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** A session that is of no further use. */
    void discard(TaskSession session) {
        busy.remove(session);
        background.run(() -> end(session));
    }

    /** Sessions that exist or are being opened. */
    int total() {
        return idle.size() + busy.size() + opening;
    }

    /** Until when {@link #closeIdle} has nothing to do; null if there is nothing to close. */
    @Nullable
    Duration nextClose() {
        TaskSession oldest = idle.size() > kept ? idle.peekFirst() : null;
        return oldest == null ? null : IDLE.minusNanos(oldest.idleNanos());
    }

    /** Closes what nobody has needed for a while; one session stays, while not too many others keep one. */
    void closeIdle() {
        if (idle.size() <= kept || idle.peekFirst().idleNanos() < IDLE.toNanos()) return;
        kept = share.keep() ? 1 : 0;
        Iterator<TaskSession> each = idle.iterator();
        while (idle.size() > kept && each.hasNext()) {
            TaskSession session = each.next();
            if (session.idleNanos() < IDLE.toNanos()) continue;
            each.remove();
            background.run(() -> end(session));
        }
        share.idle(!idle.isEmpty());
    }

    /** Others want the sessions that nobody uses. */
    private void giveUpIdle() {
        kept = 0;
        for (TaskSession session : idle) background.run(() -> end(session));
        idle.clear();
        share.idle(false);
    }

    /** When a session can be opened again after one could not; null if now. */
    @Nullable
    Duration nextTry() {
        return mayOpen() ? null : Duration.ofNanos(noMoreBefore - System.nanoTime());
    }

    /** Cancels what runs. */
    void cancelAll() {
        busy.forEach(session -> background.run(session::cancel));
    }

    /** Cancels what runs and ends all sessions. */
    void close() {
        closed = true;
        share.close();
        remoteShare.close();
        for (TaskSession session : open.keySet()) {
            boolean busyNow = busy.contains(session);
            background.run(() -> {
                if (busyNow) session.cancel();
                session.abort();
            });
        }
    }
}
