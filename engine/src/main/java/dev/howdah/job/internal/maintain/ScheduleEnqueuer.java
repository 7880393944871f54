package dev.howdah.job.internal.maintain;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.job.internal.insert.InsertBatch;
import dev.howdah.job.internal.insert.InsertRow;
import dev.howdah.job.internal.insert.InsertRowFactory;
import dev.howdah.job.internal.insert.InsertStatements;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
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
final class ScheduleEnqueuer implements MaintenanceRunner.MaintenanceTask {
    private static final Logger log = LoggerFactory.getLogger(ScheduleEnqueuer.class);
    private static final Sql PATIENCE = JobSql.SCHEDULE.statement("schedule_patience");
    private static final Sql DUE = JobSql.SCHEDULE.statement("schedule_due");
    private static final Sql MOVE = JobSql.SCHEDULE.statement("schedule_move");
    private static final Sql NEXT = JobSql.SCHEDULE.statement("schedule_next");
    private static final int SCHEDULES = 100;
    private static final int TIMES = 1_000;
    /** The retry when another node holds due schedules, or when there were too many for one transaction. */
    private static final long AGAIN_MILLIS = 20;

    private final InsertRowFactory rowFactory;
    private final InsertStatements adder = new InsertStatements();

    ScheduleEnqueuer(InsertRowFactory rowFactory) {
        this.rowFactory = rowFactory;
    }

    /** What becomes of the schedules that are due. */
    private static final class Moves {
        private final List<String> names = new ArrayList<>();
        private final List<@Nullable String> nexts = new ArrayList<>();
        private final List<@Nullable String> lasts = new ArrayList<>();
        private final List<@Nullable String> errors = new ArrayList<>();
        private final List<InsertRow> insertRows = new ArrayList<>();
    }

    @Override
    public long run(JobSession session) throws SQLException {
        Transactions.run(session.connection(), () -> {
            session.query(PATIENCE).close();
            Moves moves = due(session);
            if (!moves.names.isEmpty()) {
                if (!moves.insertRows.isEmpty()) adder.addAll(session, InsertBatch.of(moves.insertRows));
                session.update(
                        MOVE,
                        moves.names.toArray(String[]::new),
                        moves.nexts.toArray(String[]::new),
                        moves.lasts.toArray(String[]::new),
                        moves.errors.toArray(String[]::new));
            }
        });
        try (ResultSet row = session.query(NEXT)) {
            if (!row.next()) return MaintenanceRunner.WHEN_CALLED;
            return Math.max(row.getLong(1), AGAIN_MILLIS);
        }
    }

    private Moves due(JobSession session) throws SQLException {
        Moves moves = new Moves();
        try (ResultSet row = session.query(DUE, SCHEDULES)) {
            while (row.next()) {
                ScheduleRow each = ScheduleRow.of(row);
                Instant now = ScheduleRow.moment(row, 12);
                if (now == null) throw new SQLException("the database did not tell the time");
                move(each, now, moves);
            }
        }
        return moves;
    }

    private void move(ScheduleRow row, Instant now, Moves moves) throws SQLException {
        ScheduleTimes.Due due;
        List<NewJob<?>> jobs = new ArrayList<>();
        try {
            Schedule schedule = row.schedule();
            due = ScheduleTimes.of(schedule, row.from()).due(row.nextAt(), now, row.missed(), TIMES);
            Durations.checkMoment("the next time, ", due.next());
            for (Instant time : due.times()) jobs.add(row.job().runAt(time));
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
            log.warn("schedule {} cannot be kept: {}", row.name(), e.getMessage());
            moves.names.add(row.name());
            moves.nexts.add(null);
            moves.lasts.add(null);
            moves.errors.add(e.getMessage());
            return;
        }
        for (NewJob<?> each : jobs) moves.insertRows.add(rowFactory.of(each, row.payload()));
        moves.names.add(row.name());
        moves.nexts.add(due.next().toString());
        List<Instant> times = due.times();
        moves.lasts.add(times.isEmpty() ? null : times.get(times.size() - 1).toString());
        moves.errors.add(null);
    }
}
