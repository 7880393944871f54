package dev.howdah.sweep;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.install.FeatureUninstaller;
import dev.howdah.sweep.internal.run.SweepRun;
import dev.howdah.sweep.internal.store.SweepSchema;
import dev.howdah.sweep.internal.store.SweepSql;
import dev.howdah.sweep.internal.store.SweepSqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The part that this process has in a sweep: every row of a table that matches a condition is processed and marked, by
 * workers here and in other processes.
 *
 * <pre>{@code
 * try (Sweep sweep = Sweep.on(dataSource)
 *         .name("mailing-7")
 *         .table("subscription")
 *         .where("last_mail_at IS NULL OR last_mail_at < :started")
 *         .key("id")
 *         .mark("last_mail_at = now()")
 *         .workers(8)
 *         .forEachRow(row -> mail(row.getString("email")))
 *         .start()) {
 *     sweep.join();
 * }
 * }</pre>
 *
 * <p>Holds a connection of the data source for each worker and two more. They have to be sessions: a pooler that lends a
 * session for a transaction only (PgBouncer's transaction mode) is refused.
 *
 * <p>Safe for use by many threads.
 */
public final class Sweep implements AutoCloseable {
    private final ConnectionSource source;
    private final String name;
    private final SweepRun run;
    private final Duration grace;
    private final @Nullable Instant doneBefore;

    /** @param doneBefore when it was done before it was started again; null: it was not */
    Sweep(ConnectionSource source, String name, SweepRun run, Duration grace, @Nullable Instant doneBefore) {
        this.source = source;
        this.name = name;
        this.run = run;
        this.grace = grace;
        this.doneBefore = doneBefore;
    }

    /** A sweep in the database of that data source. Nothing happens before {@link SweepBuilder#start}. */
    public static SweepBuilder on(DataSource source) {
        return new SweepBuilder(source);
    }

    /**
     * Creates the tables of sweeps, or brings them up to date, as {@link SweepBuilder#start} does. Their owner is the
     * role of the connection.
     *
     * @param connection in autocommit mode
     */
    public static void install(Connection connection) throws SQLException {
        SweepSchema.MIGRATIONS.migrate(connection);
    }

    /**
     * Drops the tables of sweeps with their rows, and its schemas if they are empty then. The rows that sweeps have done stay as
     * they are.
     *
     * @param connection in autocommit mode, of the owner of the tables
     * @param force even if sweeps have not ended
     * @throws SweepException if some have not, unless it is forced
     */
    public static void uninstall(Connection connection, boolean force) throws SQLException {
        String refusal = FeatureUninstaller.run(
                connection, SweepSchema.MIGRATIONS, "sweep", "sweep", SweepSql.SWEEP.statement("sweep_left"), force);
        if (refusal != null) throw new SweepException(refusal);
    }

    /** Returns the SQL that creates the tables of sweeps in a database that has none. */
    public static String schema() {
        return SweepSchema.MIGRATIONS.text();
    }

    /**
     * Returns the SQL that brings the tables of sweeps from one version to another, for tools such as Flyway and Liquibase:
     * run it in one transaction. It records the versions, so that programs do not change the tables again.
     *
     * @param from the version that the tables have; 0 if there are none
     * @throws IllegalArgumentException if there are no such versions, or {@code to} is not greater than {@code from}
     */
    public static String schema(int from, int to) {
        return SweepSchema.MIGRATIONS.text(from, to);
    }

    /** The name of the sweep. */
    public String name() {
        return name;
    }

    /** The number of rows that this process has done since {@link SweepBuilder#start}. */
    public long doneHere() {
        return run.done();
    }

    /**
     * The time at which the sweep had ended as done before it was started again; null if it had not, or if it began a
     * new run ({@link SweepBuilder#again}). If not null, {@code :started} is the time of the first start, and there may
     * be no rows left.
     */
    public @Nullable Instant doneBefore() {
        return doneBefore;
    }

    /**
     * The progress of all processes together.
     *
     * @throws SweepException if the database cannot be read
     */
    public SweepProgress progress() {
        return new Sweeps(source).find(name).orElseThrow(() -> new SweepException("there is no sweep named " + name));
    }

    /**
     * Waits until this process has no more rows: the sweep is done, or was stopped.
     *
     * @return the progress at that time
     * @throws SweepOutageException if this process has left the sweep after {@link SweepBuilder#maxOutage}
     * @throws SweepException if the sweep has failed
     */
    public SweepProgress join() throws InterruptedException {
        run.join();
        return ended();
    }

    /**
     * As {@link #join()}, but waits no longer than {@code time}.
     *
     * @return false if this process still works on the sweep
     */
    public boolean join(Duration time) throws InterruptedException {
        if (!run.join(time)) return false;
        ended();
        return true;
    }

    private SweepProgress ended() {
        Throwable failure = run.failure();
        if (failure instanceof SweepOutageException e)
            throw new SweepOutageException(String.valueOf(e.getMessage()), e);
        if (failure instanceof SweepException e) throw new SweepException(String.valueOf(e.getMessage()), e);
        if (failure != null)
            throw new SweepException("the sweep " + name + " has failed: " + SweepSqlErrors.text(failure), failure);
        return progress();
    }

    /** Pauses the sweep as {@link Sweeps#pause} does; in this process at once. */
    public boolean pause() {
        boolean changed = new Sweeps(source).pause(name);
        run.look();
        return changed;
    }

    /** Resumes the sweep as {@link Sweeps#resume} does; in this process at once. */
    public boolean resume() {
        boolean changed = new Sweeps(source).resume(name);
        run.look();
        return changed;
    }

    /** Stops the sweep as {@link Sweeps#stop} does: all processes leave it. */
    public boolean stop() {
        boolean changed = new Sweeps(source).stop(name);
        run.look();
        return changed;
    }

    /**
     * Leaves the sweep; other processes continue. It begins no more rows, waits for rows in work for {@link
     * SweepBuilder#shutdownTimeout}, and then interrupts them. A second call does nothing.
     */
    @Override
    public void close() {
        run.leave(grace);
    }
}
