package dev.howdah.job.internal.query;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.error.SqlErrorText;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.job.JobsException;
import dev.howdah.job.internal.store.JobRows;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.query.JobOrder;
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
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/** Lists and counts jobs. Safe for use by many threads. */
public final class JobLister {
    private static final Sql COUNT = JobSql.QUERY.statement("job_count");

    /** How many jobs, and of what is done how many batches, a step of a search reads: each takes some 10 to 40 ms. */
    private static final int JOBS = 10_000;

    private static final int BATCHES = 1_000;

    /** Up to so many jobs of a queue are looked for by the queue, as are those of so many lanes. */
    private static final int FEW = 5_000;

    private static final Statements NEWEST = new Statements(JobSql.QUERY);
    /** The same with the order, and what follows from it, the other way round. */
    private static final Statements OLDEST = new Statements(JobSql.QUERY.with(
            Map.of("way", "ASC", "past", ">", "from", ">=", "upto", "<", "entries", "false", "edge", "min")));

    /** The statements of an order. */
    private static final class Statements {
        final Sql list;
        final Sql listFailed;
        final Sql listWaiting;
        final Sql listDone;
        final Sql nextFailed;
        /** Jobs in other states are few, or of no order. */
        final Map<JobState, Sql> steps;

        Statements(SqlFile sql) {
            list = sql.statement("job_list");
            listFailed = sql.statement("job_list_failed");
            listWaiting = sql.statement("job_list_waiting");
            listDone = sql.statement("job_list_done");
            nextFailed = sql.statement("job_search_next_failed");
            Sql waiting = sql.statement("job_search_bound_waiting");
            Sql failed = sql.statement("job_search_bound_failed");
            steps = Map.of(
                    JobState.WAITING,
                    waiting,
                    JobState.PLANNED,
                    waiting,
                    JobState.RETRYING,
                    waiting,
                    JobState.SUSPENDED,
                    waiting,
                    JobState.FAILED,
                    failed,
                    JobState.CANCELLED,
                    failed,
                    JobState.DONE,
                    sql.statement("job_search_bound_done"));
        }

        static Statements of(JobQuery query) {
            return isOldest(query) ? OLDEST : NEWEST;
        }

        Sql list(JobState state) {
            return switch (state) {
                case WAITING, PLANNED, RETRYING, SUSPENDED -> listWaiting;
                case FAILED, CANCELLED -> listFailed;
                case FOLLOWING, RUNNING, DONE -> list;
            };
        }
    }

    private final ConnectionSource source;

    public JobLister(ConnectionSource source) {
        this.source = source;
    }

    /** The beginning of a page: after that job of that batch; the batch counts for what is done only. */
    private record Place(long batch, long job) {
        static Place of(JobQuery query) {
            String text = query.after();
            if (text == null) return isOldest(query) ? new Place(0, 0) : new Place(Long.MAX_VALUE, Long.MAX_VALUE);
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
            return page(connection, query, null);
        } catch (SQLException e) {
            throw new JobsException(SqlErrorText.of(e), e);
        }
    }

    /**
     * Lists jobs as {@link #list}, and gives up when the page is not full after that time: step by step, each of which reads a bounded number of
     * jobs.
     */
    public JobPage search(JobQuery query, Duration time) {
        if (!Statements.of(query).steps.containsKey(query.state())) return list(query);
        long begun = System.nanoTime();
        List<JobSummary> found = new ArrayList<>();
        String first = null;
        try (Connection connection = source.getConnection()) {
            for (JobQuery at = skipping(connection, query); at != null; ) {
                Long bound = bound(connection, at);
                JobPage page = page(connection, at.limit(query.limit() - found.size()), bound);
                found.addAll(page.jobs());
                if (first == null) first = page.first();
                JobQuery next = page.next();
                if (next != null) return new JobPage(found, next.limit(query.limit()), first, null);
                if (bound == null) break;
                at = skipping(connection, query.after(before(query, bound).text()));
                if (at == null) break;
                // Also with a full page: that there are more is not known yet.
                if (found.size() == query.limit()) return new JobPage(found, at, first, null);
                boolean done = query.state() == JobState.DONE;
                if (System.nanoTime() - begun >= time.toNanos())
                    return new JobPage(
                            found, at, first, done ? new SearchedTo(0, claimed(bound)) : new SearchedTo(bound, null));
            }
            return new JobPage(found, null, first, null);
        } catch (SQLException e) {
            throw new JobsException(SqlErrorText.of(e), e);
        }
    }

    private static boolean isOldest(JobQuery query) {
        return query.order() == JobOrder.OLDEST;
    }

    /** The place before a job, or before all of a batch. */
    private static Place before(JobQuery query, long bound) {
        boolean oldest = isOldest(query);
        if (query.state() == JobState.DONE) return new Place(bound, oldest ? 0 : Long.MAX_VALUE);
        return new Place(0, oldest ? bound - 1 : bound + 1);
    }

    /** From where that search has something to find, as far as an index knows; null: nowhere. */
    private static @Nullable JobQuery skipping(Connection connection, JobQuery query) throws SQLException {
        boolean isFailed = query.state() == JobState.FAILED || query.state() == JobState.CANCELLED;
        if (query.queue() == null || !isFailed) return query;
        String state = query.state().name().toLowerCase(Locale.ROOT);
        Sql sql = Statements.of(query).nextFailed;
        try (PreparedStatement statement = planned(
                        connection, sql, query.queue(), state, Place.of(query).job(), FEW);
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) return query;
            long next = row.getLong(1);
            return row.wasNull() ? null : query.after(before(query, next).text());
        }
    }

    /** The first job, or batch, behind those of a step; null: there is none. */
    private static @Nullable Long bound(Connection connection, JobQuery query) throws SQLException {
        Place after = Place.of(query);
        Sql sql = Objects.requireNonNull(Statements.of(query).steps.get(query.state()));
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

    /** @param bound the jobs or batches come before this; null: all */
    private static JobPage list(Connection connection, JobQuery query, @Nullable Long bound) throws SQLException {
        Place after = Place.of(query);
        List<JobSummary> jobs = new ArrayList<>();
        try (PreparedStatement statement = prepare(connection, query, after, bound);
                ResultSet row = statement.executeQuery()) {
            Place last = after;
            String first = null;
            while (row.next()) {
                // One more is asked for: it says whether there is a next page.
                if (jobs.size() == query.limit()) return new JobPage(jobs, query.after(last.text()), first, null);
                jobs.add(JobRows.summary(row));
                last = new Place(row.getLong("batch"), row.getLong("id"));
                if (first == null) first = last.text();
            }
            return new JobPage(jobs, null, first, null);
        }
    }

    /** As {@link #list}, with entries of log queues among the jobs. */
    private static JobPage listWithEntries(Connection connection, JobQuery query, @Nullable Long bound)
            throws SQLException {
        JobPage jobs = list(connection, query, bound);
        List<JobSummary> all = new ArrayList<>(jobs.jobs());
        long below = bound == null ? Long.MAX_VALUE : bound;
        all.addAll(LogEntryLister.oldest(connection, query, Place.of(query).job(), below, query.limit() + 1));
        all.sort(Comparator.comparing(JobSummary::id));
        String first = all.isEmpty() ? null : new Place(0, all.get(0).id()).text();
        if (all.size() <= query.limit() && jobs.next() == null) return new JobPage(all, null, first, null);
        List<JobSummary> page = all.subList(0, query.limit());
        Place last = new Place(0, page.get(page.size() - 1).id());
        return new JobPage(page, query.after(last.text()), first, null);
    }

    private static JobPage page(Connection connection, JobQuery query, @Nullable Long bound) throws SQLException {
        return query.state() == JobState.WAITING && isOldest(query)
                ? listWithEntries(connection, query, bound)
                : list(connection, query, bound);
    }

    private static PreparedStatement prepare(Connection connection, JobQuery query, Place after, @Nullable Long behind)
            throws SQLException {
        long bound = behind != null ? behind : isOldest(query) ? Long.MAX_VALUE : -1;
        Statements statements = Statements.of(query);
        int most = query.limit() + 1;
        if (query.state() == JobState.DONE)
            return planned(
                    connection,
                    statements.listDone,
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
                    bound,
                    query.node());
        @Nullable
        Object[] values =
                with(conditions(query), after.job(), most, tags(query), query.metadata(), query.errorPattern());
        Sql sql = statements.list(query.state());
        return switch (query.state()) {
            case WAITING, PLANNED, RETRYING, SUSPENDED -> planned(connection, sql, with(values, bound));
            case FAILED, CANCELLED -> planned(connection, sql, with(values, bound, query.node()));
            case FOLLOWING, RUNNING, DONE -> planned(connection, sql, with(values, query.node()));
        };
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
                                most,
                                query.node()));
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new JobsException(SqlErrorText.of(e), e);
        }
    }

    /** Planned each time for its values: then only the tables of the state are read, by the best index. */
    static PreparedStatement planned(Connection connection, Sql sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = sql.prepare(connection, values);
        statement.unwrap(PGStatement.class).setPrepareThreshold(0);
        return statement;
    }

    static @Nullable Object tags(JobQuery query) {
        return query.tags().isEmpty() ? null : query.tags().toArray(String[]::new);
    }

    static @Nullable String text(@Nullable Temporal time) {
        return time == null ? null : time.toString();
    }
}
