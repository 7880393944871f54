package dev.howdah.task.internal.dispatch;

import dev.howdah.internal.run.Background;
import dev.howdah.task.internal.leader.LeaderSession;
import dev.howdah.task.internal.model.GroupKey;
import dev.howdah.task.internal.queue.GroupQueue;
import dev.howdah.task.internal.queue.WaitingTasks;
import dev.howdah.task.internal.session.SessionPool;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tasks that sessions of an earlier scheduler still run. Their sessions are ended; until a session is gone its task is
 * not started, and counts in its lane as running: no task runs twice at the same time. No other task waits for it, however long
 * it takes to reach another server. Belongs to the scheduler's thread.
 */
public final class OrphanRecovery {
    private static final Logger log = LoggerFactory.getLogger(OrphanRecovery.class);

    /** How often to look whether a session that does not end has ended after all. */
    private static final Duration AGAIN = Duration.ofSeconds(1);

    /** A session may end within milliseconds, or have much to undo. */
    private static final Duration SOON = Duration.ofMillis(20);

    private static final int TIMES_SOON = 50;

    /** The server at which sessions are ended, and the role for that; no owner: the scheduler's role. */
    private record Where(@Nullable String remote, @Nullable String owner) {}

    /**
     * A task and the session that runs it, which is so many seconds old at least.
     *
     * @param told whether the session could be told to end from here
     */
    private record Orphan(
            long id,
            int pid,
            double age,
            GroupKey lane,
            int hash,
            @Nullable String owner,
            boolean told) {
        Where where() {
            return new Where(lane.remote(), owner);
        }

        SessionPool.Left left() {
            return new SessionPool.Left(pid, age);
        }
    }

    private final LeaderSession leaderSession;
    private final SessionPool sessions;
    private final Background background;
    private final RunningTasks running;
    private final Map<Long, GroupQueue> lanes = new HashMap<>();
    private final Set<Long> local = new HashSet<>();
    private long lookedAt;
    private int looks;

    public OrphanRecovery(
            LeaderSession leaderSession, SessionPool sessions, Background background, RunningTasks running) {
        this.leaderSession = leaderSession;
        this.sessions = sessions;
        this.background = background;
        this.running = running;
    }

    /** Returns whether that task may still be run by an earlier scheduler's session. */
    public boolean contains(long id) {
        return lanes.containsKey(id);
    }

    /** Those and the tasks that are ours. */
    public Long[] withRunning() {
        return Stream.concat(Stream.of(running.ids()), lanes.keySet().stream()).toArray(Long[]::new);
    }

    /** Begins to end what an earlier scheduler left running. */
    public void begin(WaitingTasks backlog) throws SQLException {
        List<Orphan> elsewhere =
                leaderSession.query("task_remote_orphans", OrphanRecovery::remoteOrphan, (Object) withRunning());
        elsewhere.forEach(orphan -> took(orphan, backlog));
        elsewhere.stream()
                .collect(Collectors.groupingBy(Orphan::where))
                .forEach((where, orphans) -> endElsewhere(where, orphans, ended -> {
                    if (ended) orphans.forEach(orphan -> gone(orphan.id(), backlog));
                }));
        look(backlog);
    }

    private void endElsewhere(Where where, List<Orphan> orphans, Consumer<Boolean> next) {
        List<SessionPool.Left> left = orphans.stream().map(Orphan::left).toList();
        background.run(() -> sessions.endElsewhere(where.remote(), where.owner(), left), next);
    }

    /** Looks again whether sessions have ended, when it is time for that. */
    public void goOn(WaitingTasks backlog) throws SQLException {
        Duration next = nextTry();
        if (next != null && (next.isZero() || next.isNegative())) look(backlog);
    }

    /** When to {@linkplain #goOn go on}; null if there is nothing to do. */
    @Nullable
    public Duration nextTry() {
        if (local.isEmpty()) return null;
        return (looks < TIMES_SOON ? SOON : AGAIN).minusNanos(System.nanoTime() - lookedAt);
    }

    private void look(WaitingTasks backlog) throws SQLException {
        List<Orphan> orphans = new ArrayList<>();
        leaderSession
                .message()
                .add("task_as_login", null, true)
                .add("session_end_orphans", row -> orphans.add(orphan(row)), (Object) running.ids())
                .send();
        lookedAt = System.nanoTime();
        looks++;
        Set<Long> left = new HashSet<>();
        for (Orphan orphan : orphans) {
            left.add(orphan.id());
            if (local.add(orphan.id())) {
                log.info(
                        "task {} still runs for an earlier scheduler, ending its session {}",
                        orphan.id(),
                        orphan.pid());
                took(orphan, backlog);
                // A session that the leader may not end, its own login may; whether it is gone the next scans tell.
                if (!orphan.told())
                    endElsewhere(
                            orphan.where(), List.of(orphan), ended -> log.debug("session {} was told", orphan.pid()));
            } else if (looks == TIMES_SOON) {
                log.warn("session {} of task {} does not end; the task waits for it", orphan.pid(), orphan.id());
            }
        }
        for (Long id : Set.copyOf(local)) if (!left.contains(id)) gone(id, backlog);
    }

    private void took(Orphan orphan, WaitingTasks backlog) {
        if (lanes.containsKey(orphan.id())) return;
        GroupQueue lane = backlog.lane(orphan.lane(), orphan.hash());
        lane.started();
        lanes.put(orphan.id(), lane);
    }

    private void gone(long id, WaitingTasks backlog) {
        local.remove(id);
        GroupQueue lane = lanes.remove(id);
        if (lane == null) return;
        running.gaveBack(id);
        lane.ended();
        lane.doubt();
        backlog.touched(lane);
    }

    private static Orphan orphan(ResultSet row) throws SQLException {
        return orphan(row, row.getString("told") != null);
    }

    private static Orphan remoteOrphan(ResultSet row) throws SQLException {
        return orphan(row, false);
    }

    private static Orphan orphan(ResultSet row, boolean told) throws SQLException {
        return new Orphan(
                row.getLong("id"),
                row.getInt("pid"),
                row.getDouble("age"),
                new GroupKey(row.getString("group"), row.getString("remote")),
                row.getInt("hash"),
                row.getString("owner"),
                told);
    }
}
