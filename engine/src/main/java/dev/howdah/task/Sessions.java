package dev.howdah.task;

import dev.howdah.Database;
import dev.howdah.internal.run.Background;
import dev.howdah.internal.wire.WireConnection;
import dev.howdah.internal.wire.WireException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
    private static final Duration IDLE = Duration.ofSeconds(10);
    private static final Duration RETRY = Duration.ofSeconds(1);

    /** As many sessions are opened for lanes that have had all there are; beyond it they are reused. */
    private static final int RING = 24;

    private final Database database;
    private final SessionNames names;
    private final int limit;
    private final ErrorText remoteErrors;
    private final Background background;
    private final Deque<TaskSession> idle = new ArrayDeque<>();
    private final Set<TaskSession> busy = new HashSet<>();

    /** All there are, also those on their way to the mailbox. */
    private final Set<TaskSession> open = ConcurrentHashMap.newKeySet();

    private int opening;
    private int wanted;
    private long noMoreBefore = System.nanoTime();
    private boolean refused;
    private volatile boolean closed;

    Sessions(Database database, SessionNames names, int limit, ErrorText remoteErrors, Background background) {
        this.database = database;
        this.names = names;
        this.limit = limit;
        this.remoteErrors = remoteErrors;
        this.background = background;
    }

    /** Opens one session now, in the caller's thread, and keeps it ready. */
    TaskSession openFirst() throws WireException {
        TaskSession session = open(database, names.local(), false);
        idle.addLast(session);
        return session;
    }

    private TaskSession open(Database where, Map<String, String> startup, boolean remote) throws WireException {
        WireConnection wire = WireConnection.open(where, startup, CONNECT_TIMEOUT);
        TaskSession session = new TaskSession(wire, remote, names.application(), remoteErrors);
        open.add(session);
        if (closed) end(session);
        return session;
    }

    private void end(TaskSession session) {
        open.remove(session);
        session.close();
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
        if (found == null && (total() >= Math.min(limit, RING) || !mayOpen())) found = idle.peekFirst();
        if (found == null) return null;
        idle.remove(found);
        busy.add(found);
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
        if (session.isUsable() && !closed) idle.addLast(session);
        else end(session);
    }

    /** Tasks of this lane could start if there were sessions for them. */
    void want(Lane lane) {
        wanted = Math.min(wanted + lane.startableCount(limit), limit);
    }

    /** Whether one more task may run at another server beside so many. */
    boolean mayConnect(int others) {
        return others < limit;
    }

    /** Opens what is {@linkplain #want wanted}, and one more to be ready for the next task. */
    void openWanted() {
        int ready = idle.isEmpty() && total() < RING ? 1 : 0;
        int count = Math.min(Math.max(wanted, ready) - opening, limit - total());
        wanted = 0;
        if (!mayOpen()) return;
        for (int i = 0; i < count; i++) {
            opening++;
            background.run(this::tryToOpen, this::opened);
        }
    }

    /** A session, or why there is none. */
    private record Opening(
            @Nullable TaskSession session, @Nullable WireException failure) {}

    private Opening tryToOpen() {
        try {
            return new Opening(open(database, names.local(), false), null);
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
    void openRemote(String remote, RemoteOpening opening) {
        background.run(() -> tryToOpen(remote, opening), Runnable::run);
    }

    private Runnable tryToOpen(String remote, RemoteOpening opening) {
        try {
            TaskSession session = open(Database.of(remote), names.remote(), true);
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

    /**
     * Ends sessions that nobody listens to any more, where tasks of that lane run; returns when they are gone, or cannot
     * be reached. For any thread.
     *
     * @param pids as an array in PostgreSQL's notation
     */
    void endElsewhere(@Nullable String remote, String pids) {
        try {
            TaskSession session = remote == null
                    ? open(database, names.local(), false)
                    : open(Database.of(remote), names.remote(), true);
            try {
                while (!closed && session.endOthers(pids)) log.debug("sessions {} are still there", pids);
            } finally {
                end(session);
            }
        } catch (WireException | IllegalArgumentException e) {
            log.warn("sessions {} that nobody listens to cannot be ended: {}", pids, e.getMessage());
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
        TaskSession oldest = idle.size() > 1 ? idle.peekFirst() : null;
        return oldest == null ? null : IDLE.minusNanos(oldest.idleNanos());
    }

    /** Closes what nobody has needed for a while, but for one session. */
    void closeIdle() {
        Iterator<TaskSession> each = idle.iterator();
        while (idle.size() > 1 && each.hasNext()) {
            TaskSession session = each.next();
            if (session.idleNanos() < IDLE.toNanos()) continue;
            each.remove();
            background.run(() -> end(session));
        }
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
        for (TaskSession session : open) {
            boolean busyNow = busy.contains(session);
            background.run(() -> {
                if (busyNow) session.cancel();
                session.abort();
            });
        }
    }

    /** What sessions are told when they begin. */
    record SessionNames(TableName table, long oid, boolean noticesLostClients) {
        String application() {
            return "pg_task " + table.schema() + " " + table.table() + " ";
        }

        Map<String, String> local() {
            StringBuilder options = new StringBuilder(settings());
            // A server that notices that its client is gone ends what runs for it.
            if (noticesLostClients) options.append(" -c client_connection_check_interval=2s -c idle_session_timeout=0");
            return startup(options.toString());
        }

        Map<String, String> remote() {
            return startup(settings());
        }

        private Map<String, String> startup(String options) {
            Map<String, String> startup = new HashMap<>();
            startup.put("application_name", application().strip());
            startup.put("client_encoding", "UTF8");
            startup.put("options", options);
            return startup;
        }

        private String settings() {
            return "-c pg_task.schema=" + escaped(table.schema()) + " -c pg_task.table=" + escaped(table.table())
                    + " -c pg_task.oid=" + oid;
        }

        private static String escaped(String value) {
            return value.replace("\\", "\\\\").replace(" ", "\\ ");
        }
    }
}
