package dev.howdah.job.internal.store;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrorText;
import dev.howdah.job.JobsException;
import dev.howdah.job.query.JobPage;
import dev.howdah.job.query.JobPage.SearchedTo;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.time.temporal.Temporal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/** Lists and counts jobs. Safe for use by many threads. */
public final class JobLister {
    private static final Sql LIST = JobSql.QUERY.statement("job_list");
    private static final Sql LIST_FAILED = JobSql.QUERY.statement("job_list_failed");
    private static final Sql LIST_WAITING = JobSql.QUERY.statement("job_list_waiting");
    private static final Sql LIST_DONE = JobSql.QUERY.statement("job_list_done");
    private static final Sql COUNT = JobSql.QUERY.statement("job_count");

    /** How many jobs, and of what is done how many batches, a step of a search reads: each takes some 10 to 40 ms. */
    private static final int JOBS = 10_000;

    private static final int BATCHES = 1_000;

    private static final Sql BOUND_FAILED = JobSql.QUERY.statement("job_search_bound_failed");
    private static final Sql BOUND_WAITING = JobSql.QUERY.statement("job_search_bound_waiting");
    /** Jobs in other states are few, or of no order. */
    private static final Map<JobState, Sql> STEPS = Map.of(
            JobState.WAITING,
            BOUND_WAITING,
            JobState.PLANNED,
            BOUND_WAITING,
            JobState.RETRYING,
            BOUND_WAITING,
            JobState.FAILED,
            BOUND_FAILED,
            JobState.CANCELLED,
            BOUND_FAILED,
            JobState.DONE,
            JobSql.QUERY.statement("job_search_bound_done"));

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

        String text() {
            return batch + "-" + job;
        }
    }

    public JobPage list(JobQuery query) {
        try (Connection connection = source.getConnection()) {
            return list(connection, query, -1);
        } catch (SQLException e) {
            throw new JobsException(SqlErrorText.of(e), e);
        }
    }

    /**
     * Lists jobs as {@link #list}, and gives up when the page is not full after that time: step by step, each of which reads a bounded number of
     * jobs.
     */
    public JobPage search(JobQuery query, Duration time) {
        if (!STEPS.containsKey(query.state())) return list(query);
        long begun = System.nanoTime();
        List<JobSummary> found = new ArrayList<>();
        try (Connection connection = source.getConnection()) {
            for (JobQuery at = query; ; ) {
                Long bound = bound(connection, at);
                JobPage page = list(connection, at.limit(query.limit() - found.size()), bound == null ? -1 : bound);
                found.addAll(page.jobs());
                JobQuery next = page.next();
                if (next != null) return new JobPage(found, next.limit(query.limit()), null);
                if (bound == null) return new JobPage(found, null, null);
                boolean done = query.state() == JobState.DONE;
                at = query.after((done ? new Place(bound, Long.MAX_VALUE) : new Place(0, bound + 1)).text());
                // Also with a full page: that there are more is not known yet.
                if (found.size() == query.limit()) return new JobPage(found, at, null);
                if (System.nanoTime() - begun >= time.toNanos())
                    return new JobPage(
                            found, at, done ? new SearchedTo(0, claimed(bound)) : new SearchedTo(bound, null));
            }
        } catch (SQLException e) {
            throw new JobsException(SqlErrorText.of(e), e);
        }
    }

    /** The first job, or batch, behind those of a step; null: there is none. */
    private static @Nullable Long bound(Connection connection, JobQuery query) throws SQLException {
        Place after = Place.of(query.after());
        Sql sql = Objects.requireNonNull(STEPS.get(query.state()));
        try (PreparedStatement statement = query.state() == JobState.DONE
                        ? planned(connection, sql, after.batch(), BATCHES, text(query.from()), text(query.day()))
                        : planned(connection, sql, after.job(), JOBS);
                ResultSet row = statement.executeQuery()) {
            return row.next() ? row.getLong(1) : null;
        }
    }

    /** When about a batch was claimed: its id is the time in microseconds. */
    private static Instant claimed(long batch) {
        return Instant.EPOCH.plus(batch, ChronoUnit.MICROS);
    }

    /** @param bound the jobs or batches are more than this */
    private static JobPage list(Connection connection, JobQuery query, long bound) throws SQLException {
        Place after = Place.of(query.after());
        try (PreparedStatement statement = prepare(connection, query, after, bound);
                ResultSet row = statement.executeQuery()) {
            List<JobSummary> jobs = new ArrayList<>();
            Place last = after;
            while (row.next()) {
                // One more is asked for: it says whether there is a next page.
                if (jobs.size() == query.limit()) return new JobPage(jobs, query.after(last.text()), null);
                jobs.add(JobRows.summary(row));
                last = new Place(row.getLong("batch"), row.getLong("id"));
            }
            return new JobPage(jobs, null, null);
        }
    }

    private static PreparedStatement prepare(Connection connection, JobQuery query, Place after, long bound)
            throws SQLException {
        int most = query.limit() + 1;
        if (query.state() == JobState.DONE)
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
                    query.metadata(),
                    bound);
        @Nullable
        Object[] values =
                with(conditions(query), after.job(), most, tags(query), query.metadata(), query.errorPattern());
        Sql sql = list(query.state());
        return planned(connection, sql, sql == LIST ? values : with(values, bound));
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
