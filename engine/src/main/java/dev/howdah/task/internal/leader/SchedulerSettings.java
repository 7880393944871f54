package dev.howdah.task.internal.leader;

import dev.howdah.task.TaskTuning;
import dev.howdah.task.internal.output.ErrorFormatter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings of the scheduler, as its session sees them: {@code pg_task.*} of the role in the database, the
 * role, the database, the configuration. A value that does not parse is named in the log and replaced by the default.
 *
 * @param noticesLostClients whether the server can look while a statement runs whether its client is still there
 * @param superuser whether the scheduler's role is one
 * @param run most tasks that run at once
 * @param runPerOwner most of them that one owner has, other than the scheduler's role
 * @param shortestRepeat what a shorter {@code repeat} of other owners counts as; zero for any
 * @param slowPoll how long a sleeping scheduler waits for the doorbell before it looks for itself
 * @param retention how long rows are kept whose tasks have ended; null for ever
 * @param poll the time between two looks of the extension; here, for how long a session waits for the next task of its group
 * @param reset how often rows in WORK that no session runs are put back
 * @param cancel whether STOP in the row of a task that runs cancels it
 */
public record SchedulerSettings(
        boolean noticesLostClients,
        boolean superuser,
        int run,
        int runPerOwner,
        Duration shortestRepeat,
        Duration poll,
        Duration slowPoll,
        Duration reset,
        @Nullable Duration retention,
        boolean cancel,
        ErrorFormatter errors) {
    /** Nothing rings when a transaction that was prepared is committed. */
    private static final long LONGEST_POLL_OF_PREPARED_MILLIS = 2_000;

    private static final long LONGEST_POLL_MILLIS = 10_000;
    private static final Duration A_DAY = Duration.ofDays(1);
    private static final Logger log = LoggerFactory.getLogger(SchedulerSettings.class);

    /** @param tuning what goes before the settings of the session */
    public static SchedulerSettings read(LeaderSession leaderSession, TaskTuning tuning) throws SQLException {
        record Raw(
                boolean noticesLostClients,
                boolean superuser,
                boolean canPrepare,
                ErrorFormatter errors,
                @Nullable String run,
                @Nullable String runPerOwner,
                @Nullable String shortestRepeat,
                @Nullable String sleep,
                @Nullable String reset,
                @Nullable String retention,
                @Nullable String cancel,
                @Nullable String idle) {}
        Raw raw = leaderSession.one(
                "task_settings",
                row -> new Raw(
                        row.getInt("version") >= 140000 && row.getBoolean("linux"),
                        row.getBoolean("superuser"),
                        row.getBoolean("can_prepare"),
                        ErrorFormatter.of(row.getString("verbosity"), row.getString("min_error_statement")),
                        row.getString("run"),
                        row.getString("run_per_owner"),
                        row.getString("shortest_repeat"),
                        row.getString("sleep"),
                        row.getString("reset"),
                        row.getString("retention"),
                        row.getString("cancel"),
                        row.getString("idle")));
        Duration given = tuning.sleep();
        long sleep = given != null ? given.toMillis() : number("pg_task.sleep", raw.sleep(), 1000);
        long idle = number("pg_work.idle", raw.idle(), 60);
        long longest = raw.canPrepare() ? LONGEST_POLL_OF_PREPARED_MILLIS : 3_600_000;
        Duration slowPoll = Duration.ofMillis(Math.min(Math.max(sleep * idle, 1000), longest));
        Integer most = tuning.run();
        int run = most != null ? most : (int) number("pg_task.run", raw.run(), Integer.MAX_VALUE);
        Duration reset = tuning.reset() != null ? tuning.reset() : reset(leaderSession, raw.reset());
        return new SchedulerSettings(
                raw.noticesLostClients(),
                raw.superuser(),
                run,
                (int) Math.max(number("pg_task.run_per_owner", raw.runPerOwner(), Integer.MAX_VALUE), 1),
                shortestRepeat(leaderSession, raw.shortestRepeat()),
                Duration.ofMillis(Math.min(sleep, LONGEST_POLL_MILLIS)),
                slowPoll,
                reset,
                retention(leaderSession, raw.retention()),
                flag("pg_task.cancel", raw.cancel(), false),
                raw.errors());
    }

    /** A boolean as PostgreSQL writes it. */
    public static boolean flag(String name, @Nullable String value, boolean otherwise) {
        if (value == null || value.isBlank()) return otherwise;
        String word = value.strip().toLowerCase(Locale.ROOT);
        if (List.of("on", "true", "yes", "1").contains(word)) return true;
        if (!List.of("off", "false", "no", "0").contains(word))
            log.warn("{} = '{}' is neither on nor off; {} is used", name, value, otherwise ? "on" : "off");
        else return false;
        return otherwise;
    }

    private static long number(String name, @Nullable String value, int otherwise) {
        if (value == null || value.isBlank()) return otherwise;
        try {
            int number = Integer.parseInt(value.strip());
            if (number >= 0) return number;
        } catch (NumberFormatException e) {
            // Said below, as for a negative number.
        }
        log.warn("{} = '{}' is not a number from 0 on; {} is used", name, value, otherwise);
        return otherwise;
    }

    private static @Nullable Duration retention(LeaderSession leaderSession, @Nullable String value)
            throws SQLException {
        if (value == null || value.isBlank()) return null;
        Duration kept = interval(leaderSession, value);
        if (kept == null)
            log.warn("pg_task.retention = '{}' is not an interval above 0; rows are kept for ever", value);
        return kept;
    }

    private static Duration reset(LeaderSession leaderSession, @Nullable String value) throws SQLException {
        Duration otherwise = Duration.ofHours(1);
        if (value == null || value.isBlank()) return otherwise;
        Duration reset = interval(leaderSession, value);
        if (reset != null) return reset.compareTo(A_DAY) > 0 ? A_DAY : reset;
        log.warn("pg_task.reset = '{}' is not an interval above 0; 1 hour is used", value);
        return otherwise;
    }

    private static Duration shortestRepeat(LeaderSession leaderSession, @Nullable String value) throws SQLException {
        if (value == null || value.isBlank()) return Duration.ZERO;
        Duration shortest = interval(leaderSession, value);
        if (shortest != null) return shortest;
        log.warn("pg_task.shortest_repeat = '{}' is not an interval above 0; any repeat is taken", value);
        return Duration.ZERO;
    }

    /** What PostgreSQL reads as an interval above zero, at most a thousand years; else null. */
    private static @Nullable Duration interval(LeaderSession leaderSession, String value) throws SQLException {
        try {
            double seconds = leaderSession.one("task_seconds", row -> row.getDouble("seconds"), value);
            return seconds > 0 ? Duration.ofMillis((long) Math.ceil(Math.min(seconds, 3.2e10) * 1000)) : null;
        } catch (SQLException e) {
            if (leaderSession.isLoss(e)) throw e;
            return null;
        }
    }
}
