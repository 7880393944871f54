package dev.howdah.task;

import dev.howdah.Database;
import dev.howdah.internal.options.NodeOptions;
import dev.howdah.internal.run.Threads;
import dev.howdah.spi.Metrics;
import dev.howdah.spi.reach.Reach;
import dev.howdah.task.internal.dispatch.TaskMetrics;
import dev.howdah.task.internal.leader.ConnectTimeouts;
import dev.howdah.task.internal.leader.DatabaseSessions;
import dev.howdah.task.internal.quota.SessionQuotas;
import dev.howdah.task.internal.scheduler.SchedulerLoop;
import dev.howdah.task.internal.scheduler.TermSetup;
import dev.howdah.task.internal.session.StartupParameters;
import dev.howdah.task.internal.store.TableName;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs the tasks of one table. Any number of schedulers may be started for the same table, in any number of programs: one
 * is elected, the others stand by and take over: at once when it stops, within a second or two after a crash, within
 * the {@linkplain Builder#lease lease} when it is frozen or cut off.
 *
 * <p>A scheduler holds two connections to the database, one that holds its lock and writes, one that listens; and
 * opens up to {@link Builder#maxSessions} more in which tasks run. It connects in the background and retries without end.
 *
 * <p>Safe for use by many threads. A scheduler is started once, and {@link #close} may be called at any time.
 */
public final class TaskScheduler implements AutoCloseable {
    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(2);
    private static final Duration LONGEST_LEASE = Duration.ofHours(1);
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(15);

    /** Is notified of the state of a scheduler, in the scheduler's thread: the methods should return at once. */
    public interface Listener {
        /** It was elected and runs tasks. */
        default void active() {}

        /** Another scheduler leads; this one waits. {@code holder} names it for people. */
        default void standby(String holder) {}

        /** Everything in the database is paused, as {@code howdah pause --all} does; {@code why} says since when, by whom and why. */
        default void paused(String why) {}

        /** The database cannot be reached; retried without end. */
        default void waiting(String reason) {}

        /**
         * No session can be opened for tasks now, such as after the scheduler's own password was changed, and tasks wait for the next try, each
         * second; null: one was opened again. Called while it is {@linkplain #active active}.
         */
        default void sessionsRefused(@Nullable String reason) {}

        /** The table cannot be served as it is, or a privilege is missing; checked again every ten seconds. */
        default void refused(String reason) {}
    }

    private final SchedulerLoop loop;
    private volatile RemotePlaces places;
    private final Thread thread;
    private final Duration shutdownTimeout;

    private TaskScheduler(Builder builder, @Nullable DatabaseSessions shared) {
        this.places = builder.places;
        this.shutdownTimeout = builder.shutdownTimeout;
        Database database = ConnectTimeouts.within(builder.lease, builder.database);
        Database acting = ConnectTimeouts.within(builder.lease, builder.acting());
        DatabaseSessions sessions =
                shared == null ? new DatabaseSessions(SessionQuotas.of(builder.sessions, builder.sessions)) : shared;
        TaskMetrics meter = new TaskMetrics(builder.metrics, database.database(), builder.table);
        TermSetup.Terms terms = new TermSetup.Terms(
                database,
                acting,
                builder.table,
                builder.rights,
                builder.adopting,
                () -> places,
                builder.reach,
                builder.lease,
                sessions.quotas(),
                meter);
        this.loop = new SchedulerLoop(terms, sessions, builder.tuning, builder.listener);
        this.thread = Threads.loop("howdah-tasks", loop);
    }

    /** Returns a builder for the table {@code public.task} of that database, unless it sets another one. */
    public static Builder on(Database database) {
        return new Builder(database);
    }

    /** Starts in the background and returns at once. May be called once. */
    TaskScheduler start() {
        thread.start();
        return this;
    }

    /**
     * Waits until this scheduler serves the table for the first time, which then exists, or stands by for another one
     * that does.
     *
     * @return false if that has not come about within {@code timeout}
     */
    public boolean awaitServed(Duration timeout) throws InterruptedException {
        return loop.awaitServed(timeout);
    }

    /**
     * Starts no more tasks, waits for those that run for the {@linkplain Builder#shutdownTimeout shutdown timeout}, cancels those that still
     * run and puts them back, and closes all connections; waits for that, 15 s at most. Tasks that are not done in a PostgreSQL have 5 s
     * more to end: what they have sent cannot be taken back. A second call does nothing.
     */
    @Override
    public void close() {
        close(List.of(this));
    }

    /** Closes all of them, at the same time. */
    static void close(List<TaskScheduler> all) {
        long began = System.nanoTime();
        for (TaskScheduler each : all) if (!each.shutdownTimeout.isZero()) each.drain();
        boolean interrupted = false;
        for (TaskScheduler each : all) interrupted |= !each.awaitDrained(began);
        if (interrupted) Thread.currentThread().interrupt();
        all.forEach(TaskScheduler::stop);
        long until = System.nanoTime() + STOP_PATIENCE.toNanos();
        all.forEach(each -> each.awaitOver(until));
    }

    /** Waits until the shutdown timeout after that time of {@code System.nanoTime} is over; false if this thread was interrupted. */
    private boolean awaitDrained(long began) {
        if (shutdownTimeout.isZero()) return true;
        try {
            long passed = (System.nanoTime() - began) / 1_000_000;
            thread.join(Math.max(shutdownTimeout.toMillis() - passed, 1));
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** Starts no more tasks, and closes when the running ones have ended; returns at once. */
    public void drain() {
        loop.drain();
    }

    /** Returns whether it has closed, after {@link #drain} or {@link #close}. */
    public boolean isOver() {
        return !loop.isOpen() && !thread.isAlive();
    }

    /** Cancels the tasks that run; returns at once. */
    private void stop() {
        loop.stop();
    }

    /** Waits for the end of what {@link #stop} has begun; at that time of {@code System.nanoTime} patience is over. */
    private void awaitOver(long until) {
        try {
            thread.join(Math.max((until - System.nanoTime()) / 1_000_000, 1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) loop.abort();
    }

    /** Changes the settings; running tasks continue. */
    public void tune(TaskTuning now) {
        loop.tune(now);
    }

    /** From now on tasks may connect there; sessions that are open go on. */
    public void remotePlaces(RemotePlaces now) {
        places = now;
    }

    /** Builds a scheduler. */
    public static final class Builder {
        private final Database database;
        private TableName table = new TableName("public", "task");
        private int sessions = 40;
        private @Nullable TaskRights rights;
        private boolean adopting;
        private Duration lease = Duration.ofSeconds(10);
        private TaskTuning tuning = TaskTuning.NONE;
        private String role = "";
        private RemotePlaces places = RemotePlaces.everywhere();
        private Reach reach = Reach.none();
        private Listener listener = new Listener() {};
        private Metrics metrics = Metrics.none();
        private Duration shutdownTimeout = Duration.ZERO;

        private Builder(Database database) {
            this.database = database;
        }

        /**
         * Sets the table to serve; it is created if it is missing. Defaults to {@code public.task}. Names are used as
         * they are, case-sensitive.
         */
        public Builder table(String schema, String name) {
            this.table = new TableName(schema, name);
            return this;
        }

        /**
         * Sets the maximum number of tasks of this database that run at the same time, and of those at other servers;
         * at least 1. Other tasks wait. Defaults to 40.
         */
        public Builder maxSessions(int max) {
            if (max < 1) throw new IllegalArgumentException("at least 1 session is needed, not " + max);
            this.sessions = max;
            return this;
        }

        /**
         * Sets after how long another scheduler takes over from one that is frozen or cut off, from 2 seconds to an
         * hour. The same for all schedulers of a table. A scheduler that cannot answer for about a third of it loses
         * its leadership. Defaults to 10 seconds.
         */
        public Builder lease(Duration bound) {
            if (bound.compareTo(SHORTEST_LEASE) < 0 || bound.compareTo(LONGEST_LEASE) > 0)
                throw new IllegalArgumentException("a lease is 2 seconds to 1 hour, not " + bound);
            this.lease = bound;
            return this;
        }

        /**
         * Sets the role to act as, of which the login role has to be a member: the table is created and served, and
         * tasks run, as if that role had logged in. Defaults to the login role.
         */
        public Builder role(String name) {
            this.role = name;
            return this;
        }

        /**
         * Sets whether a table that is there already becomes a table of tasks, whatever it looks like: missing columns are added, and the texts
         * in its column {@code input} run as SQL. Defaults to false: a table is served that Howdah or the extension pg_task has made, and any
         * other is refused and left as it is.
         */
        public Builder adopt(boolean given) {
            this.adopting = given;
            return this;
        }

        /**
         * Sets whose privileges tasks have. Defaults to {@link TaskRights#OWNER}, except for a table from elsewhere
         * that has no column {@code owner}: that is served as with {@link TaskRights#SCHEDULER}, and gets no column.
         */
        public Builder rights(TaskRights whose) {
            this.rights = whose;
            return this;
        }

        /**
         * Sets the servers to which tasks with {@code remote} may connect. Tasks of the role for which the scheduler acts are not bound to it
         * where tasks have the rights of their owners. Defaults to {@link RemotePlaces#everywhere}.
         */
        public Builder remotePlaces(RemotePlaces allowed) {
            this.places = allowed;
            return this;
        }

        /**
         * Sets what does tasks whose {@code remote} is not the address of a PostgreSQL. Each takes a place of {@link #maxSessions} at
         * other servers while it runs. Defaults to {@link Reach#none}.
         */
        public Builder reach(Reach now) {
            this.reach = now;
            return this;
        }

        /**
         * Sets values that override the settings {@code pg_task.*} of its session. Defaults to {@link TaskTuning#NONE}.
         */
        public Builder tuning(TaskTuning now) {
            this.tuning = now;
            return this;
        }

        /** Sets the listener. Defaults to none. */
        public Builder listener(Listener told) {
            this.listener = told;
            return this;
        }

        /** Sets the receiver of metrics: tasks that ended, and their run times. Defaults to none. */
        public Builder metrics(Metrics to) {
            this.metrics = to;
            return this;
        }

        /**
         * Sets the shutdown timeout: how long {@link TaskScheduler#close} waits for running tasks before it cancels them and puts them back.
         * Defaults to zero.
         *
         * @throws IllegalArgumentException if it is negative or longer than a thousand years
         */
        public Builder shutdownTimeout(Duration time) {
            this.shutdownTimeout = NodeOptions.checkTimeout(time);
            return this;
        }

        TaskScheduler build() {
            return build(null);
        }

        private Database acting() {
            if (role.isEmpty() || role.equals(database.user())) return database;
            String given = database.parameter("options");
            String options = "-c role=" + StartupParameters.escaped(role);
            return database.with("options", given == null ? options : given + " " + options);
        }

        /** The table that it serves, whatever the role that it acts as. */
        TaskSchedulers.Key key() {
            return new TaskSchedulers.Key(database, table);
        }

        TaskScheduler build(@Nullable DatabaseSessions shared) {
            return new TaskScheduler(this, shared);
        }

        /** Starts a scheduler in the background, and returns at once. */
        public TaskScheduler start() {
            return build().start();
        }
    }
}
