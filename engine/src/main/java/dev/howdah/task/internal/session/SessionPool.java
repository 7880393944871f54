package dev.howdah.task.internal.session;

import dev.howdah.Database;
import dev.howdah.internal.run.Background;
import dev.howdah.internal.wire.WireException;
import dev.howdah.task.internal.model.GroupKey;
import dev.howdah.task.internal.model.WaitingTask;
import dev.howdah.task.internal.owner.SessionVersions;
import dev.howdah.task.internal.quota.SessionQuota;
import dev.howdah.task.internal.quota.SessionQuotas;
import dev.howdah.task.internal.reach.ReachRunner;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The sessions in which local tasks run: opened when there is work, reused in turn, closed when idle, but for one that
 * stays ready. A lane gets a session that it has not had before while there is one or room for one, so that tasks that
 * follow each other see sessions of their own, as in the extension. All methods belong to
 * the scheduler's thread; sessions are opened in the background and arrive by its mailbox.
 */
public final class SessionPool {
    private static final Duration IDLE = Duration.ofSeconds(10);

    /** As many sessions are opened for lanes that have had all there are; beyond it they are reused. */
    private static final int RING = 24;

    private final SessionFactory opener;
    private final SessionQuota.Share share;
    private final RemoteSessionPool remote;
    private final SessionVersions versions;
    private final Background background;
    private final Deque<TaskSession> idle = new ArrayDeque<>();
    private final Set<TaskSession> busy = new HashSet<>();

    private final PendingConnections openings;

    /** How many idle sessions stay. */
    private int kept;

    /** Whether one that stays may have run tasks: after a rest the next task of any lane is to find a new one. */
    private boolean worn;

    private volatile boolean closed;

    public SessionPool(
            SessionFactory opener,
            Database database,
            SessionQuotas quotas,
            SessionVersions versions,
            Background background) {
        this.opener = opener;
        this.versions = versions;
        this.background = background;
        this.share = quotas.local().join(database, new SessionQuota.Holder() {
            @Override
            public void granted(SessionQuota.Place place) {
                background.post(() -> openings.granted(place));
            }

            @Override
            public void reclaim() {
                background.post(() -> {}); // what is idle after the next round is closed
            }
        });
        this.openings = new PendingConnections(opener, share, background, versions, this::busy, this::arrived);
        this.remote = new RemoteSessionPool(opener, quotas, background, busy::add);
    }

    /** Frees the memory of outputs whose tasks are not at work any more, and whose ends are written. */
    public void keepOutputs(LongPredicate atWork) {
        opener.outputs().keepOnly(atWork);
    }

    /** Does tasks for which there is no session. */
    public ReachRunner reach() {
        return opener.reach();
    }

    /** Those at other servers. */
    public RemoteSessionPool remote() {
        return remote;
    }

    /**
     * Opens one session now, in the caller's thread, and keeps it ready where there is room for it; says what it was told
     * at its start.
     */
    @Nullable
    public String openFirst(String parameter) throws WireException {
        SessionQuota.Place place = share.takeSpare();
        TaskSession session = opener.local(place, Objects.requireNonNullElse(versions.of(null), ""));
        String value = session.parameter(parameter);
        if (place == null) opener.end(session);
        else idle.addLast(session);
        share.idle(!idle.isEmpty());
        return value;
    }

    /** A clean session for a lane, with that owner's rights; null if there is none now. */
    @Nullable
    public TaskSession acquire(GroupKey lane, @Nullable String owner) {
        dropUnusable();
        TaskSession found = null;
        TaskSession known = null;
        for (TaskSession session : idle) {
            if (!session.isOf(owner)) continue;
            if (!session.hasServed(lane)) {
                found = session;
                break;
            }
            if (known == null) known = session;
        }
        if (found == null && known != null && (total() >= RING || !openings.mayOpen(owner) || !share.hasRoom()))
            found = known;
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
            if (session.isUsable() && isCurrent(session)) continue;
            each.remove();
            if (session.isUsable()) background.run(() -> opener.end(session));
            else opener.end(session);
        }
    }

    /** Returns whether a new session would have the same settings and rights. */
    private boolean isCurrent(TaskSession session) {
        return versions.isCurrent(session.owner(), session.version());
    }

    /** After a look: sessions that began before settings or rights were changed run no other task. */
    public void dropOutdated() {
        if (idle.isEmpty()) return;
        dropUnusable();
        share.idle(!idle.isEmpty());
    }

    /** A session that is clean again, or unusable. */
    public void release(TaskSession session) {
        busy.remove(session);
        session.rested();
        if (!session.isUsable() || closed) {
            opener.end(session);
        } else if (share.yields() || !isCurrent(session)) {
            background.run(() -> opener.end(session));
        } else {
            idle.addLast(session);
            worn = true;
            share.idle(true);
        }
    }

    /** Returns whether a session that could go on with its lane is needed elsewhere. */
    public boolean wouldYield() {
        return share.wouldYield();
    }

    /** Returns whether a task waits for a session while another session only waits for tasks of its lane. */
    public boolean isShort(boolean atOtherServers) {
        return atOtherServers ? remote.isShort() : share.isContended();
    }

    /** Tasks of this lane could start if there were sessions for them. */
    public void want(IntFunction<List<WaitingTask>> startable) {
        openings.want(startable);
    }

    /** Opens what is {@linkplain #want wanted}, and one more to be ready for the next task; closes what others want. */
    public void openWanted() {
        remote.leaveToOthers();
        if (!idle.isEmpty() && (share.isWanted() || (kept > 0 && !share.keeps()))) giveUpIdle();
        openings.openWanted(this::makeRoom);
        if (idle.isEmpty() && openings.coming() == 0 && total() < RING && openings.mayOpen(null)) {
            SessionQuota.Place place = share.takeSpare();
            if (place != null) openings.open(null, place);
        }
    }

    /** How many sessions with that owner's rights run tasks. */
    private int busy(@Nullable String owner) {
        int count = 0;
        for (TaskSession session : busy) if (session.isOf(owner)) count++;
        return count;
    }

    /** Returns whether a session can be opened for that owner now, as far as is known. */
    public boolean mayOpen(@Nullable String owner) {
        return openings.mayOpen(owner);
    }

    private void arrived(TaskSession session) {
        idle.addFirst(session);
        share.idle(true);
    }

    /** Ends an idle session of an owner for whom nothing waits: its place will be granted to a task that waits for one. */
    private void makeRoom(Predicate<TaskSession> needed) {
        for (TaskSession session : idle) {
            if (needed.test(session)) continue;
            idle.remove(session);
            share.idle(!idle.isEmpty());
            background.run(() -> opener.end(session));
            return;
        }
    }

    /** The error of a task of that owner, for whom there can be no session; null where nothing is known of that. */
    @Nullable
    public String refusal(@Nullable String owner) {
        return openings.refusal(owner);
    }

    /** A session without a client, and how many seconds old it is at least. */
    public record Left(int pid, double age) {}

    /** As {@link SessionFactory#endOthers}; for any thread. */
    public boolean endElsewhere(@Nullable String remote, @Nullable String owner, List<Left> left) {
        return opener.endOthers(remote, owner, left);
    }

    /** A session that is of no further use. */
    public void discard(TaskSession session) {
        busy.remove(session);
        background.run(() -> opener.end(session));
    }

    /** Sessions that exist or are being opened. */
    public int total() {
        return idle.size() + busy.size() + openings.coming();
    }

    /** How many there may be at most. */
    public int most() {
        return share.most();
    }

    /** Why the server does not let the scheduler's own role in, since the last session was opened; null: it does, as far as is known. */
    @Nullable
    public String loginRefusal() {
        return openings.loginRefusal();
    }

    /** Returns whether the last one that was to be opened could not be. */
    public boolean isRefused() {
        return openings.isRefused();
    }

    /** Until when {@link #closeIdle} has nothing to do; null if there is nothing to close. */
    @Nullable
    public Duration nextClose() {
        TaskSession oldest = idle.size() > kept || worn ? idle.peekFirst() : null;
        return oldest == null ? null : IDLE.minusNanos(oldest.idleNanos());
    }

    /**
     * Closes sessions that were not needed for a while; one session stays, while not too many others keep one, and is replaced by a
     * new one if it has run tasks.
     */
    public void closeIdle() {
        if (idle.isEmpty() || idle.size() <= kept && !worn || idle.getFirst().idleNanos() < IDLE.toNanos()) return;
        kept = share.keep() ? 1 : 0;
        Iterator<TaskSession> each = idle.iterator();
        while (idle.size() > kept && each.hasNext()) {
            TaskSession session = each.next();
            if (session.idleNanos() < IDLE.toNanos()) continue;
            each.remove();
            background.run(() -> opener.end(session));
        }
        if (idle.size() == 1 && idle.getFirst().idleNanos() >= IDLE.toNanos()) renew(idle.getFirst());
        share.idle(!idle.isEmpty());
    }

    private void renew(TaskSession session) {
        worn = false;
        SessionQuota.Place place = openings.mayOpen(session.owner()) ? share.takeSpare() : null;
        if (place == null) return;
        idle.remove(session);
        background.run(() -> opener.end(session));
        openings.open(session.owner(), place);
    }

    /** Others want the idle sessions. */
    private void giveUpIdle() {
        kept = 0;
        for (TaskSession session : idle) background.run(() -> opener.end(session));
        idle.clear();
        share.idle(false);
    }

    /** When a session can be opened again after one could not; null if now. */
    @Nullable
    public Duration nextTry() {
        return openings.nextTry();
    }

    /** Cancels what runs. */
    public void cancelAll() {
        busy.forEach(session -> background.run(session::cancel));
    }

    /** Cancels what runs and ends all sessions. */
    public void close() {
        closed = true;
        share.close();
        remote.close();
        for (TaskSession session : opener.close()) {
            boolean busyNow = busy.contains(session);
            background.run(() -> {
                if (busyNow) session.cancel();
                session.abort();
            });
        }
    }
}
