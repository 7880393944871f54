package dev.howdah.job;

import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Jobs on a PostgreSQL database: adds them, and works those it has handlers for.
 *
 * <pre>{@code
 * record Welcome(String email) {}
 *
 * try (Jobs jobs = Jobs.on(dataSource)
 *         .handle("welcome", Welcome.class, (welcome, job) -> mail(welcome.email()))
 *         .start()) {
 *     jobs.add("welcome", new Welcome("ann@example.com"));
 * }
 * }</pre>
 *
 * <p>Three connections of the data source are kept while it works (one for each of two claimers, one that listens and says
 * that the node lives), up to two more while jobs are added without a connection of the caller's. Connections have to
 * be sessions of their own: a pooler that gives a session for a transaction only (PgBouncer's transaction mode) is refused.
 *
 * <p>Safe for use by many threads.
 */
public final class Jobs implements AutoCloseable {
    private final DataSource source;
    private final Lanes lanes;
    private final Adder adder;
    private final AddGroup group;
    private final Map<String, Work<?>> works;
    private final Duration grace;
    private final @Nullable Keeper keeper;

    private Jobs(Builder builder, @Nullable Keeper keeper, Lanes lanes) {
        this.source = builder.source;
        this.lanes = lanes;
        this.works = Map.copyOf(builder.works);
        this.adder = new Adder(lanes, builder.codec);
        this.group = new AddGroup(source, adder);
        this.grace = builder.grace;
        this.keeper = keeper;
    }

    /** Jobs in the database of that data source. Nothing happens before {@link Builder#start}. */
    public static Builder on(DataSource source) {
        return new Builder(source);
    }

    /**
     * Adds a job for now to the queue {@code default}, in a transaction of its own, and returns when it is durable.
     *
     * @param kind of a handler of this object
     * @return the job's number
     * @throws IllegalArgumentException if the payload cannot be said in JSON
     * @throws JobsException if the database does not take it; nobody knows whether it has, if the session was lost meanwhile
     */
    public long add(String kind, Object payload) {
        return add(NewJob.of(Kind.of(kind, Object.class), payload));
    }

    /** As {@link #add(String, Object)}. */
    public <T> long add(Kind<T> kind, T payload) {
        return add(NewJob.of(kind, payload));
    }

    /** As {@link #add(String, Object)}, for any job. */
    public long add(NewJob<?> job) {
        try {
            return group.add(adder.ticket(job));
        } catch (SQLException e) {
            throw failed(job, e);
        }
    }

    /**
     * Adds a job in the caller's transaction: it is there if, and only if, that commits. A connection in autocommit mode
     * makes it durable at once.
     *
     * @return the job's number
     */
    public long add(Connection connection, NewJob<?> job) {
        try {
            return adder.add(connection, adder.ticket(job));
        } catch (SQLException e) {
            throw failed(job, e);
        }
    }

    /** As {@link #add(Connection, NewJob)}, for now, in the queue {@code default}. */
    public <T> long add(Connection connection, Kind<T> kind, T payload) {
        return add(connection, NewJob.of(kind, payload));
    }

    /**
     * Adds many jobs in one transaction of its own, fast.
     *
     * @return their numbers, in their order
     */
    public List<Long> addAll(List<? extends NewJob<?>> jobs) {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            try {
                List<Long> ids = adder.addAll(connection, tickets(jobs));
                connection.commit();
                return ids;
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw new JobsException(jobs.size() + " jobs could not be added: " + e.getMessage(), e);
        }
    }

    /** As {@link #addAll(List)}, in the caller's transaction. */
    public List<Long> addAll(Connection connection, List<? extends NewJob<?>> jobs) {
        try {
            return adder.addAll(connection, tickets(jobs));
        } catch (SQLException e) {
            throw new JobsException(jobs.size() + " jobs could not be added: " + e.getMessage(), e);
        }
    }

    private List<Ticket> tickets(List<? extends NewJob<?>> jobs) throws SQLException {
        List<Ticket> tickets = new ArrayList<>(jobs.size());
        for (NewJob<?> job : jobs) tickets.add(adder.ticket(job));
        return tickets;
    }

    private static JobsException failed(NewJob<?> job, SQLException e) {
        return new JobsException(
                "a job " + job.kind().name() + " could not be added to queue " + job.queueName() + ": "
                        + e.getMessage(),
                e);
    }

    /**
     * Stops: takes no more jobs, gives back those that have not begun, waits for those that run, interrupts those that run
     * for longer than {@link Builder#grace}, and gives them back, too. Nothing is lost, and nothing counts as failed. Calling
     * it again does nothing.
     */
    @Override
    public void close() {
        group.close();
        if (keeper != null) keeper.close(grace);
    }

    /** The number that this node has now; 0 if it does not work. */
    int node() {
        return keeper == null ? 0 : keeper.node();
    }

    /** What jobs there are and how they are worked. Not safe for use by many threads. */
    public static final class Builder {
        private final DataSource source;
        private final Map<String, Work<?>> works = new LinkedHashMap<>();
        private final Set<String> queues = new LinkedHashSet<>();
        private PayloadCodec codec = new JacksonCodec();
        private RetryPolicy retries = RetryPolicy.standard();
        private Duration timeout = Duration.ZERO;
        private Duration grace = Duration.ofSeconds(30);
        private String name = "pid " + ProcessHandle.current().pid();
        private int concurrency = 10;
        private int doneDays = 7;
        private int failedDays = 30;

        private Builder(DataSource source) {
            this.source = source;
        }

        /**
         * Works jobs of that kind. Retries and timeout are those set before.
         *
         * @throws IllegalArgumentException if the kind has a handler already
         */
        public <T> Builder handle(Kind<T> kind, Handler<T> handler) {
            return put(kind, false, (payload, job, connection) -> {
                handler.handle(payload, job);
                return Outcome.done();
            });
        }

        /** As {@link #handle(Kind, Handler)}. */
        public <T> Builder handle(String kind, Class<T> type, Handler<T> handler) {
            return handle(Kind.of(kind, type), handler);
        }

        /** As {@link #handle(Kind, Handler)}, for a handler that says itself what becomes of the job. */
        public <T> Builder decide(Kind<T> kind, DecidingHandler<T> handler) {
            return put(kind, false, (payload, job, connection) -> handler.handle(payload, job));
        }

        /** As {@link #handle(Kind, Handler)}, in the job's own transaction: exactly once. */
        public <T> Builder handleInTransaction(Kind<T> kind, TransactionalHandler<T> handler) {
            return put(kind, true, (payload, job, connection) -> {
                if (connection == null) throw new IllegalStateException("no transaction");
                handler.handle(payload, job, connection);
                return Outcome.done();
            });
        }

        private <T> Builder put(Kind<T> kind, boolean transactional, Work.Body<T> body) {
            Work<T> work = new Work<>(kind, body, retries, timeout, transactional);
            if (works.putIfAbsent(kind.name(), work) != null)
                throw new IllegalArgumentException("the kind " + kind.name() + " has a handler already");
            return this;
        }

        /** The queues to take from. Defaults to {@code default} alone. */
        public Builder queues(String... names) {
            for (String each : names) queues.add(Names.check("queue", each));
            return this;
        }

        /**
         * How many jobs run at the same time at most. Defaults to 10.
         *
         * @throws IllegalArgumentException if it is not 1 to 10,000
         */
        public Builder concurrency(int jobs) {
            if (jobs < 1 || jobs > 10_000)
                throw new IllegalArgumentException("a concurrency of " + jobs + ": it has to be 1 to 10000");
            concurrency = jobs;
            return this;
        }

        /** How failed jobs of the kinds named after this are tried again. Defaults to {@link RetryPolicy#standard}. */
        public Builder retries(RetryPolicy policy) {
            retries = policy;
            return this;
        }

        /**
         * How long an attempt of the kinds named after this may run; then its thread is interrupted and the attempt has
         * failed. Defaults to zero: as long as it likes.
         */
        public Builder timeout(Duration time) {
            timeout = Delays.check(time);
            return this;
        }

        /** How long {@link Jobs#close} lets jobs run on. Defaults to 30 seconds. */
        public Builder grace(Duration time) {
            grace = Delays.check(time);
            return this;
        }

        /** What the node is called in tables and logs. Defaults to the number of the process. */
        public Builder name(String text) {
            name = Names.check("node", text);
            return this;
        }

        /** How payloads become JSON. Defaults to Jackson. */
        public Builder codec(PayloadCodec other) {
            codec = other;
            return this;
        }

        /**
         * How many days what is done and what has failed is kept. Default to 7 and 30.
         *
         * @throws IllegalArgumentException if they are negative
         */
        public Builder keep(int done, int failed) {
            if (done < 0 || failed < 0)
                throw new IllegalArgumentException("kept for " + done + " and " + failed + " days: not less than 0");
            doneDays = done;
            failedDays = failed;
            return this;
        }

        /**
         * Makes or brings up to date the tables, and begins to work if there is a handler.
         *
         * @throws JobsException if the database cannot be used
         */
        public Jobs start() {
            try {
                JobSchema.migrate(source);
                Lanes lanes = new Lanes(source);
                Housekeeper housekeeper = new Housekeeper(source, doneDays, failedDays);
                housekeeper.prepare();
                if (works.isEmpty()) return new Jobs(this, null, lanes);
                Set<String> names = queues.isEmpty() ? Set.of(NewJob.DEFAULT_QUEUE) : Set.copyOf(queues);
                JobRunner runner = new JobRunner(source, codec, works);
                Keeper keeper = new Keeper(source, name, names, concurrency, runner, lanes, housekeeper);
                keeper.start();
                return new Jobs(this, keeper, lanes);
            } catch (SQLException e) {
                throw new JobsException("jobs cannot be worked on this database: " + e.getMessage(), e);
            }
        }
    }
}
