package dev.howdah.job.internal.query;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.error.SqlErrorText;
import dev.howdah.internal.run.StepSize;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.JobsException;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.query.BulkChange;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Changes all jobs that meet a query, in steps of a transaction each. Safe for use by many threads. */
public final class JobChanger {
    private static final Sql CHECK = JobSql.ADMIN.statement("job_change_check");
    private static final Sql STEP = JobSql.ADMIN.statement("job_change_step");
    private static final Sql EACH = JobSql.ADMIN.statement("job_change_each");
    private static final Sql MOVE = JobSql.ADMIN.statement("job_move");
    private static final int EACH_JOBS = 100;

    /** There is no such job any more; another one has its key; a newer version of the key is known. */
    private static final Set<String> REFUSALS = Set.of("42704", "23505", "55000");

    private final ConnectionSource source;

    public JobChanger(ConnectionSource source) {
        this.source = source;
    }

    /** Returns the number of jobs that were changed. */
    public long change(BulkChange change, BulkChange.Progress progress) {
        String action = text(change.action());
        try (Connection connection = source.getConnection()) {
            JobQuery query = closed(change.query(), begun(connection, change));
            if (query == null) return 0;
            @Nullable
            Object[] conditions = JobLister.with(
                    new @Nullable Object[] {action},
                    JobLister.with(
                            JobLister.conditions(query),
                            JobLister.tags(query),
                            query.metadata(),
                            query.errorPattern(),
                            change.queue()));
            long changed = 0;
            long left = 0;
            StepSize size = new StepSize();
            Long bound = null;
            for (long last = -1; ; ) {
                long begun = System.nanoTime();
                try (PreparedStatement step =
                                STEP.prepare(connection, JobLister.with(conditions, last, size.rows(), bound));
                        ResultSet row = step.executeQuery()) {
                    row.next();
                    if (row.getLong("seen") == 0) return changed;
                    changed += row.getLong("changed");
                    left += row.getLong("seen") - row.getLong("changed");
                    last = row.getLong("next");
                    bound = row.getLong("bound");
                }
                size.took(System.nanoTime() - begun);
                if (!progress.step(changed, left)) return changed;
            }
        } catch (SQLException e) {
            throw new JobsException(SqlErrorText.of(e), e);
        }
    }

    /** Checks the change, and says when it begins, by the clock of the database. */
    private static Instant begun(Connection connection, BulkChange change) throws SQLException {
        try (PreparedStatement check = CHECK.prepare(
                        connection,
                        text(change.action()),
                        change.query().state().name().toLowerCase(Locale.ROOT),
                        change.queue());
                ResultSet row = check.executeQuery()) {
            row.next();
            return row.getObject("begun", OffsetDateTime.class).toInstant();
        }
    }

    /** What ends while jobs are changed is not meant: others may fail as fast as they are retried. Null: all of the time of the query is to come. */
    private static @Nullable JobQuery closed(JobQuery query, Instant begun) {
        if (query.state() != JobState.FAILED && query.state() != JobState.CANCELLED) return query;
        Instant from = query.from();
        Instant until = query.until();
        if (until != null && until.isBefore(begun)) return query;
        return from == null || from.isBefore(begun) ? query.until(begun) : null;
    }

    /** Returns the number of jobs that were changed; a hundred in a transaction, those that cannot be changed are left. */
    public long changeEach(BulkChange.Action action, Collection<Long> ids) {
        if (action == BulkChange.Action.MOVE)
            throw new IllegalArgumentException("to move jobs, a queue is needed: use moveEach");
        return inSteps(ids, (connection, some) -> changeSome(connection, action, some));
    }

    /** Returns the number of jobs that were moved; a hundred in a transaction. */
    public long moveEach(Collection<Long> ids, String queue) {
        return inSteps(ids, (connection, some) -> {
            try (PreparedStatement statement = MOVE.prepare(connection, some, queue);
                    ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        });
    }

    private interface Step {
        long change(Connection connection, Long[] ids) throws SQLException;
    }

    private long inSteps(Collection<Long> ids, Step step) {
        Long[] sorted = ids.stream().distinct().sorted().toArray(Long[]::new);
        long changed = 0;
        try (Connection connection = source.getConnection()) {
            for (int from = 0; from < sorted.length; from += EACH_JOBS)
                changed += step.change(
                        connection, Arrays.copyOfRange(sorted, from, Math.min(sorted.length, from + EACH_JOBS)));
            return changed;
        } catch (SQLException e) {
            throw new JobsException(SqlErrorText.of(e), e);
        }
    }

    private static long changeSome(Connection connection, BulkChange.Action action, Long[] ids) throws SQLException {
        try (PreparedStatement statement = EACH.prepare(connection, text(action), ids);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            if (!REFUSALS.contains(String.valueOf(e.getSQLState()))) throw e;
            if (ids.length == 1) return 0;
        }
        long changed = 0;
        for (Long id : ids) changed += changeSome(connection, action, new Long[] {id});
        return changed;
    }

    private static String text(BulkChange.Action action) {
        return action.name().toLowerCase(Locale.ROOT);
    }
}
