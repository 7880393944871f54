package dev.howdah.job.internal.schedule;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.job.internal.insert.InsertBatch;
import dev.howdah.job.internal.insert.InsertRow;
import dev.howdah.job.internal.insert.InsertRowFactory;
import dev.howdah.job.internal.insert.InsertStatements;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobOptions;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds the jobs of schedules when their time has come. A job is added in the transaction that moves its schedule to the
 * next time and has the schedule's row for itself: so any number of nodes adds each time once.
 */
public final class ScheduleEnqueuer {
    private static final Logger log = LoggerFactory.getLogger(ScheduleEnqueuer.class);
    private static final Sql PATIENCE = JobSql.SCHEDULE.statement("schedule_patience");
    private static final Sql DUE = JobSql.SCHEDULE.statement("schedule_due");
    private static final Sql ADD_KEYED = JobSql.SCHEDULE.statement("schedule_add_keyed");
    private static final Sql MOVE = JobSql.SCHEDULE.statement("schedule_move");
    private static final Sql CANCEL = JobSql.SCHEDULE.statement("schedule_cancel");
    private static final Sql NEXT = JobSql.SCHEDULE.statement("schedule_next");
    /** The answer when no schedule has a next time. */
    private static final long NEVER = Long.MAX_VALUE;

    private static final int SCHEDULES = 100;
    private static final int TIMES = 1_000;
    /** The retry when another node holds due schedules, or when there were too many for one transaction. */
    private static final long AGAIN_MILLIS = 20;

    private final InsertRowFactory rowFactory;
    private final InsertStatements adder = new InsertStatements();

    public ScheduleEnqueuer(InsertRowFactory rowFactory) {
        this.rowFactory = rowFactory;
    }

    /** The next times of the schedules that are due. */
    private static final class Moves {
        private final List<String> names = new ArrayList<>();
        private final List<@Nullable String> nexts = new ArrayList<>();
        private final List<@Nullable String> lasts = new ArrayList<>();
        private final List<@Nullable String> errors = new ArrayList<>();
        private final List<Long> skipped = new ArrayList<>();
        private final List<Long> cancelled = new ArrayList<>();
        private final List<InsertRow> insertRows = new ArrayList<>();
        /** Of each schedule, how many jobs there are up to its last one; 0: it has none. */
        private final List<Integer> ends = new ArrayList<>();
        /** Those with a key, by the place of their schedule. */
        private final List<KeyedJob> keyed = new ArrayList<>();

        /** The last job of each schedule; null: nothing was added for it. */
        private @Nullable Long[] lastJobs(List<Long> ids) {
            @Nullable
            Long[] last =
                    ends.stream().map(end -> end == 0 ? null : ids.get(end - 1)).toArray(Long[]::new);
            for (KeyedJob each : keyed) if (each.id != null) last[each.place] = each.id;
            return last;
        }
    }

    /** A job that is added unless its key says no. */
    private static final class KeyedJob {
        private final int place;
        private final NewJob<?> job;
        private final String payload;
        private @Nullable Long id;
        private @Nullable String problem;

        KeyedJob(int place, NewJob<?> job, String payload) {
            this.place = place;
            this.job = job;
            this.payload = payload;
        }

        /** Returns whether it was added; not, if another transaction is adding one with its key: that is not waited for. */
        boolean add(JobSession session) throws SQLException {
            try (ResultSet row = session.query(
                    ADD_KEYED,
                    job.queue(),
                    job.kind().name(),
                    payload,
                    job.priority(),
                    String.valueOf(job.runAt()),
                    job.key(),
                    job.options())) {
                row.next();
                problem = row.getString(3);
                if (!row.getBoolean(2)) return false;
                id = row.getLong(1);
                return true;
            }
        }
    }

    /** Adds the jobs of schedules that are due: in how many milliseconds to come again; {@link #NEVER}: when it is called. */
    public long run(JobSession session) throws SQLException {
        return run(session, Duration.ZERO);
    }

    /**
     * The same in a time that is ahead of the database's, for tests. The rows stay in the database's time.
     *
     * @param ahead by how much
     */
    public long run(JobSession session, Duration ahead) throws SQLException {
        Transactions.run(session.connection(), () -> {
            session.query(PATIENCE).close();
            Moves moves = due(session, ahead);
            if (!moves.names.isEmpty()) {
                if (!moves.cancelled.isEmpty())
                    session.query(CANCEL, (Object) moves.cancelled.toArray(Long[]::new))
                            .close();
                for (KeyedJob each : moves.keyed) {
                    if (!each.add(session)) moves.skipped.set(each.place, moves.skipped.get(each.place) + 1);
                    if (each.problem != null) {
                        log.warn("schedule {} cannot be kept: {}", moves.names.get(each.place), each.problem);
                        moves.errors.set(each.place, each.problem);
                    }
                }
                List<Long> ids = moves.insertRows.isEmpty()
                        ? List.of()
                        : adder.addAll(session, InsertBatch.of(moves.insertRows));
                session.update(
                        MOVE,
                        moves.names.toArray(String[]::new),
                        moves.nexts.toArray(String[]::new),
                        moves.lasts.toArray(String[]::new),
                        moves.errors.toArray(String[]::new),
                        moves.lastJobs(ids),
                        moves.skipped.toArray(Long[]::new));
            }
        });
        try (ResultSet row = session.query(NEXT)) {
            if (!row.next()) return NEVER;
            return Math.max(row.getLong(1), AGAIN_MILLIS);
        }
    }

    private Moves due(JobSession session, Duration ahead) throws SQLException {
        Moves moves = new Moves();
        try (ResultSet row = session.query(DUE, SCHEDULES)) {
            while (row.next()) {
                ScheduleRow each = ScheduleRow.of(row);
                Instant now = ScheduleRow.moment(row, "now");
                if (now == null) throw new SQLException("the database did not tell the time");
                ScheduleOverlap.LastJob last = ScheduleOverlap.LastJob.of(row.getString("last_job_does"));
                move(each, now, ahead, last, moves, session.connection());
            }
        }
        return moves;
    }

    /** Returns whether another job can keep it from being added. */
    private static boolean isKeyed(NewJob<?> job) {
        return job.key() != null || JobOptions.of(job.options(), "unique") != null;
    }

    private void move(
            ScheduleRow row,
            Instant databaseNow,
            Duration ahead,
            ScheduleOverlap.LastJob last,
            Moves moves,
            Connection transaction)
            throws SQLException {
        Instant now = databaseNow.plus(ahead);
        ScheduleTimes.Due due;
        ScheduleOverlap overlap;
        List<NewJob<?>> jobs = new ArrayList<>();
        try {
            Schedule schedule = row.schedule();
            ScheduleTimes timing = ScheduleTimes.of(schedule, row.from().plus(ahead), row.holidays());
            Instant planned = row.nextAt() == null ? null : row.nextAt().plus(ahead);
            // The calendar may have changed since it was planned.
            if (planned != null && row.calendar() != null) planned = timing.next(planned.minusNanos(1_000));
            Duration catchUp = schedule.catchUp();
            if (planned != null && catchUp != null) planned = timing.catchUp(planned, now, catchUp);
            due = timing.due(planned, now, row.missed(), TIMES);
            Durations.checkMoment("the next time, ", due.next());
            overlap = ScheduleOverlap.of(row.overlap(), due.times(), last);
            NewJob<?> job = ScheduleOverlap.job(row);
            for (Instant time : overlap.times())
                jobs.add(job.runAt(timing.moved(time, schedule.jitter()).minus(ahead)));
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
            log.warn("schedule {} cannot be kept: {}", row.name(), e.getMessage());
            moves.names.add(row.name());
            moves.nexts.add(null);
            moves.lasts.add(null);
            moves.errors.add(e.getMessage());
            moves.skipped.add(0L);
            moves.ends.add(0);
            return;
        }
        for (NewJob<?> each : jobs) {
            if (!isKeyed(each)) moves.insertRows.add(rowFactory.of(transaction, each, row.payload()));
            else moves.keyed.add(new KeyedJob(moves.names.size(), each, row.payload()));
        }
        moves.names.add(row.name());
        moves.nexts.add(due.next().minus(ahead).toString());
        List<Instant> times = overlap.times();
        moves.lasts.add(
                times.isEmpty()
                        ? null
                        : times.get(times.size() - 1).minus(ahead).toString());
        moves.errors.add(null);
        moves.skipped.add(overlap.skipped());
        moves.ends.add(times.isEmpty() || isKeyed(row.job()) ? 0 : moves.insertRows.size());
        if (overlap.cancelsLast() && row.lastJob() != null) moves.cancelled.add(row.lastJob());
    }
}
