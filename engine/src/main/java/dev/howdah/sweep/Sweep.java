package dev.howdah.sweep;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.sweep.internal.run.SweepRun;
import dev.howdah.sweep.internal.store.SweepSchema;
import dev.howdah.sweep.internal.store.SweepSqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A sweep over a table, as far as this process has a part in it: something is done to every row that meets a condition, by
 * many workers here and in other processes, and each such row is marked.
 *
 * <pre>{@code
 * try (Sweep sweep = Sweep.on(dataSource)
 *         .named("mailing-7")
 *         .table("subscription")
 *         .where("last_mail_at IS NULL OR last_mail_at < :started")
 *         .key("id")
 *         .mark("last_mail_at = now()")
 *         .workers(8)
 *         .each(row -> mail(row.getString("email")))
 *         .start()) {
 *     sweep.join();
 * }
 * }</pre>
 *
 * <p>Keeps a connection of the data source for each worker and two more. They have to be sessions of their own: a pooler that gives a
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
     * Makes the tables of sweeps, or brings them up to date, as {@link SweepBuilder#start} does. Their owner is the role of the
     * connection.
     *
     * @param connection in autocommit mode
     */
    public static void install(Connection connection) throws SQLException {
        SweepSchema.MIGRATIONS.migrate(connection);
    }

    /** The SQL that makes the tables of sweeps in a database that has none, for those who run such things themselves. */
    public static String schema() {
        return SweepSchema.MIGRATIONS.text();
    }

    /** What it is called. */
    public String name() {
        return name;
    }

    /** How many rows this process has done for it since {@link SweepBuilder#start}. */
    public long doneHere() {
        return run.done();
    }

    /**
     * When the sweep had been done before it was started again; null: it had not, or it began anew ({@link SweepBuilder#again}). Then
     * {@code :started} is the moment of the first start, and there may be nothing to do.
     */
    public @Nullable Instant doneBefore() {
        return doneBefore;
    }

    /**
     * How far it is, all processes together.
     *
     * @throws SweepException if the database does not say
     */
    public SweepProgress progress() {
        return new Sweeps(source).find(name).orElseThrow(() -> new SweepException("there is no sweep named " + name));
    }

    /**
     * Waits until this process has nothing more to do: nothing is left, or the sweep was stopped.
     *
     * @return how far it is then
     * @throws SweepException if the sweep has failed
     */
    public SweepProgress join() throws InterruptedException {
        run.join();
        return ended();
    }

    /**
     * As {@link #join()}, but not for longer than that.
     *
     * @return false if this process still works on it
     */
    public boolean join(Duration time) throws InterruptedException {
        if (!run.join(time)) return false;
        ended();
        return true;
    }

    private SweepProgress ended() {
        Throwable failure = run.failure();
        if (failure instanceof SweepException e) throw new SweepException(String.valueOf(e.getMessage()), e);
        if (failure != null)
            throw new SweepException("the sweep " + name + " has failed: " + SweepSqlErrors.text(failure), failure);
        return progress();
    }

    /** As {@link Sweeps#pause}; in this process at once. */
    public boolean pause() {
        boolean changed = new Sweeps(source).pause(name);
        run.look();
        return changed;
    }

    /** As {@link Sweeps#resume}; in this process at once. */
    public boolean resume() {
        boolean changed = new Sweeps(source).resume(name);
        run.look();
        return changed;
    }

    /** As {@link Sweeps#stop}: all processes leave it. */
    public boolean stop() {
        boolean changed = new Sweeps(source).stop(name);
        run.look();
        return changed;
    }

    /**
     * This process leaves the sweep, others go on: begins nothing more, waits for rows that are in work for {@link
     * SweepBuilder#grace}, and then interrupts them. Calling it again does nothing.
     */
    @Override
    public void close() {
        run.leave(grace);
    }
}
