package dev.howdah.job.internal.store;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrorText;
import dev.howdah.job.JobsException;
import dev.howdah.job.query.JobPage;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.temporal.Temporal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/** Lists and counts jobs. Safe for use by many threads. */
public final class JobLister {
    private static final Sql LIST = JobSql.QUERY.statement("job_list");
    private static final Sql LIST_FAILED = JobSql.QUERY.statement("job_list_failed");
    private static final Sql LIST_WAITING = JobSql.QUERY.statement("job_list_waiting");
    private static final Sql LIST_DONE = JobSql.QUERY.statement("job_list_done");
    private static final Sql COUNT = JobSql.QUERY.statement("job_count");

    private final ConnectionSource source;

    public JobLister(ConnectionSource source) {
        this.source = source;
    }

    /** The beginning of a page: after that job of that batch; the batch counts for what is done only. */
    private record Place(long batch, long job) {
        static Place of(@Nullable String text) {
            if (text == null) return new Place(Long.MAX_VALUE, Long.MAX_VALUE);
            try {
                String[] parts = text.split("-", 2);
                return new Place(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("\"" + text + "\" is not where a page begins: take JobPage.next", e);
            }
        }
    }

    public JobPage list(JobQuery query) {
        Place after = Place.of(query.after());
        try (Connection connection = source.getConnection();
                PreparedStatement statement = prepare(connection, query, after);
                ResultSet row = statement.executeQuery()) {
            List<JobSummary> jobs = new ArrayList<>();
            Place last = after;
            while (row.next()) {
                // One more is asked for: it says whether there is a next page.
                if (jobs.size() == query.limit())
                    return new JobPage(jobs, query.after(last.batch() + "-" + last.job()));
                jobs.add(JobRows.summary(row));
                last = new Place(row.getLong("batch"), row.getLong("id"));
            }
            return new JobPage(jobs, null);
        } catch (SQLException e) {
            throw new JobsException(SqlErrorText.of(e), e);
        }
    }

    private static PreparedStatement prepare(Connection connection, JobQuery query, Place after) throws SQLException {
        int most = query.limit() + 1;
        if (query.state() != JobState.DONE)
            return planned(
                    connection,
                    list(query.state()),
                    with(conditions(query), after.job(), most, tags(query), query.metadata(), query.errorPattern()));
        return planned(
                connection,
                LIST_DONE,
                query.queue(),
                query.kind(),
                query.key(),
                query.payload(),
                text(query.from()),
                text(query.until()),
                after.batch(),
                after.job(),
                most,
                tags(query),
                text(query.day()),
                query.metadata());
    }

    /** The state, queue, kind, key, error, payload, from and until: the first parameters of statements about jobs that meet a query. */
    static @Nullable Object[] conditions(JobQuery query) {
        return new @Nullable Object[] {
            query.state().name().toLowerCase(Locale.ROOT),
            query.queue(),
            query.kind(),
            query.key(),
            query.error(),
            query.payload(),
            text(query.from()),
            text(query.until())
        };
    }

    /** These values, followed by others. */
    static @Nullable Object[] with(@Nullable Object[] values, @Nullable Object... others) {
        @Nullable Object[] all = Arrays.copyOf(values, values.length + others.length);
        System.arraycopy(others, 0, all, values.length, others.length);
        return all;
    }

    private static Sql list(JobState state) {
        return switch (state) {
            case WAITING, PLANNED, RETRYING -> LIST_WAITING;
            case FAILED, CANCELLED -> LIST_FAILED;
            case FOLLOWING, RUNNING, DONE -> LIST;
        };
    }

    /** @param most how many are counted at most; null: all */
    public long count(JobQuery query, @Nullable Long most) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = planned(
                        connection,
                        COUNT,
                        with(
                                conditions(query),
                                tags(query),
                                text(query.day()),
                                query.metadata(),
                                query.errorPattern(),
                                most));
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new JobsException(SqlErrorText.of(e), e);
        }
    }

    /** Planned each time for its values: then only the tables of the state are read, by the best index. */
    private static PreparedStatement planned(Connection connection, Sql sql, @Nullable Object... values)
            throws SQLException {
        PreparedStatement statement = sql.prepare(connection, values);
        statement.unwrap(PGStatement.class).setPrepareThreshold(0);
        return statement;
    }

    static @Nullable Object tags(JobQuery query) {
        return query.tags().isEmpty() ? null : query.tags().toArray(String[]::new);
    }

    private static @Nullable String text(@Nullable Temporal time) {
        return time == null ? null : time.toString();
    }
}
