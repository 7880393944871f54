package dev.howdah.task.internal.dispatch;

import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.task.internal.leader.LeaderSession;
import dev.howdah.task.internal.leader.SharedLeaderSession;
import dev.howdah.task.internal.model.GroupKey;
import dev.howdah.task.internal.queue.CronTimetable;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The consequences of the end of a task beyond its own row, in the same transaction: its next run, its next attempt, the
 * pause of its group. Belongs to the scheduler's thread.
 */
public final class FollowUps {
    /**
     * A task whose end has been written.
     *
     * @param handled whether another task is to run if this one is not tried again
     * @param now when, in microseconds of the epoch
     * @param pauseSeconds before the next attempt, at least
     */
    record Ended(
            long id,
            boolean repeats,
            CronTimetable.@Nullable Cron cron,
            long now,
            boolean retries,
            boolean handled,
            boolean pauses,
            int hash,
            GroupKey lane,
            double pauseSeconds) {
        /** The same where the receiver of the task has said something about a next attempt. */
        Ended retriedAfter(Duration time) {
            if (time.isZero()) return this;
            boolean again = retries && !time.isNegative();
            double least = Math.max(time.toMillis(), 0) / 1e3;
            return new Ended(id, repeats, cron, now, again, handled, pauses, hash, lane, least);
        }
    }

    /** Enough for ten million ids in a row that were given by hand. */
    private static final int ATTEMPTS = 50;

    /** What a task that handles a failure does not take over from the one that has failed. */
    private static final List<String> HANDLER =
            List.of("input", "on_failure", "repeat", "cron", "attempts", "once", "max", "remote", "notify", "schedule");

    private static final long PASSED_AT_ONCE = 200_000;

    private final LeaderSession leaderSession;
    private final long oid;
    private final CronTimetable timetable;
    private final Supplier<Duration> shortestRepeat;
    private final LongConsumer planned;

    /**
     * @param shortestRepeat of owners other than the scheduler's role
     * @param planned told of the server's time by which next runs are planned, in microseconds of the epoch
     */
    public FollowUps(
            LeaderSession leaderSession,
            long oid,
            CronTimetable timetable,
            Supplier<Duration> shortestRepeat,
            LongConsumer planned) {
        this.shortestRepeat = shortestRepeat;
        this.planned = planned;
        this.leaderSession = leaderSession;
        this.oid = oid;
        this.timetable = timetable;
    }

    /** Reads what the statements return that end tasks. */
    static Ended ended(ResultSet row) throws SQLException {
        return new Ended(
                row.getLong("id"),
                row.getBoolean("repeats"),
                CronTimetable.Cron.read(row),
                row.getLong("now"),
                row.getBoolean("retries"),
                row.getBoolean("handled"),
                row.getBoolean("pauses"),
                row.getInt("hash"),
                new GroupKey(row.getString("group"), row.getString("remote")),
                0);
    }

    /**
     * Does work of which new rows are a part, as a whole or not at all. Where a new row meets an id that another has already,
     * which was given by hand, it is done again behind such ids: no chain of runs ends because of a row of another task.
     */
    void atomically(SharedLeaderSession.Work work) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try {
                leaderSession.atomically(work);
                return;
            } catch (SQLException e) {
                boolean taken = SqlErrors.isUniqueViolation(e) && !leaderSession.isLoss(e) && attempt < ATTEMPTS;
                if (!taken || !passTaken()) throw e;
            }
        }
    }

    private boolean passTaken() throws SQLException {
        return leaderSession.one(
                "task_pass_taken",
                row -> row.getBoolean("taken"),
                leaderSession.table().quoted(),
                PASSED_AT_ONCE);
    }

    void follow(List<Ended> ended) throws SQLException {
        for (Ended each : ended) if (each.repeats() || each.cron() != null) planned.accept(each.now());
        Long[] repeating = ids(ended, Ended::repeats);
        if (repeating.length > 0)
            add("task_repeat", List.of(), repeating, shortestRepeat.get().toMillis() / 1e3);
        Long[] scheduled = ids(ended, each -> each.cron() != null);
        if (scheduled.length > 0) add("task_repeat_at", List.of(), scheduled, points(ended));
        Long[] retried = ids(ended, Ended::retries);
        if (retried.length > 0)
            add("task_retry", List.of("repeat", "cron", "attempts", "backoff"), retried, waits(ended));
        Long[] handled = ids(ended, each -> each.handled() && !each.retries());
        if (handled.length > 0) add("task_handle_failure", HANDLER, (Object) handled);
        List<Ended> pausing = ended.stream().filter(Ended::pauses).toList();
        if (pausing.isEmpty()) return;
        leaderSession.run(
                "task_pause",
                pausing.stream().map(Ended::hash).toArray(Integer[]::new),
                pausing.stream().map(each -> each.lane().group()).toArray(String[]::new),
                pausing.stream().map(each -> each.lane().remote()).toArray(String[]::new));
    }

    private static Long[] ids(List<Ended> ended, Predicate<Ended> which) {
        return ended.stream().filter(which).map(Ended::id).toArray(Long[]::new);
    }

    private static Double[] waits(List<Ended> ended) {
        return ended.stream().filter(Ended::retries).map(Ended::pauseSeconds).toArray(Double[]::new);
    }

    private Long[] points(List<Ended> ended) {
        List<Long> points = new ArrayList<>();
        for (Ended each : ended) if (each.cron() != null) points.add(next(each.cron(), each.now()));
        return points.toArray(Long[]::new);
    }

    /** A schedule that has become nonsense while its task ran is due at once, and refused then where all can see it. */
    private long next(CronTimetable.Cron cron, long now) {
        try {
            return timetable.next(cron, now);
        } catch (IllegalArgumentException e) {
            return now;
        }
    }

    /**
     * Adds rows that take over the columns of others. The columns are read each time: the user may have added one since.
     */
    private void add(String statement, List<String> own, @Nullable Object... parameters) throws SQLException {
        String columns = leaderSession.one(
                "table_copied_columns", row -> row.getString("columns"), oid, own.toArray(String[]::new));
        leaderSession
                .message()
                .add(leaderSession.statement(statement, Map.of("columns", columns)), null, parameters)
                .send();
    }
}
