package dev.howdah.testkit;

import dev.howdah.sweep.Sweep;
import dev.howdah.sweep.SweepBuilder;
import dev.howdah.sweep.SweepError;
import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.SweepState;
import dev.howdah.sweep.Sweeps;
import dev.howdah.testkit.internal.sql.TestQueries;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/**
 * A sweep that a test has run to its end: retries come at once, however long their delays are. Immutable.
 *
 * <pre>{@code
 * TestSweep.run(dataSource, Sweep.on(dataSource)
 *         .name("mailing").table("subscription").where("mailed_at IS NULL").key("id").mark("mailed_at = now()")
 *         .forEachRow(row -> mail(row.getString("email"))))
 *         .assertDone(3)
 *         .assertNoneFailed();
 * }</pre>
 */
public final class TestSweep {
    private static final int MOST_ERRORS = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LOOK = Duration.ofMillis(20);

    private final SweepProgress progress;
    private final List<SweepError> errors;

    private TestSweep(SweepProgress progress, List<SweepError> errors) {
        this.progress = progress;
        this.errors = errors;
    }

    /**
     * Starts the sweep and waits for its end.
     *
     * @param builder of a sweep in the database of that data source
     * @throws AssertionError if nothing more is done for half a minute
     * @throws dev.howdah.sweep.SweepException if it cannot be started, or fails
     */
    public static TestSweep run(DataSource source, SweepBuilder builder) {
        TestQueries queries = new TestQueries(source, "sweep");
        Sweeps sweeps = Sweeps.on(source);
        try (Sweep sweep = builder.start()) {
            long seen = -1;
            long until = System.nanoTime() + PATIENCE.toNanos();
            while (!sweep.join(LOOK)) {
                queries.run("sweep_retry_now", sweep.name());
                if (sweep.doneHere() != seen) until = System.nanoTime() + PATIENCE.toNanos();
                seen = sweep.doneHere();
                if (System.nanoTime() - until > 0)
                    throw new AssertionError("the sweep " + sweep.name() + " has done " + seen + " rows, and none for "
                            + PATIENCE.toSeconds() + " seconds: " + sweep.progress());
            }
            return new TestSweep(sweep.progress(), sweeps.errors(sweep.name(), MOST_ERRORS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting", e);
        }
    }

    /** Returns the sweep as it ended. */
    public SweepProgress progress() {
        return progress;
    }

    /** Returns the rows that have failed, at most 1000. */
    public List<SweepError> errors() {
        return errors;
    }

    /** Fails unless the sweep is done, and so many rows with it. */
    public TestSweep assertDone(long rows) {
        if (progress.state() != SweepState.DONE || progress.done() != rows)
            throw new AssertionError("the sweep " + progress.name() + " is " + progress.state() + " with "
                    + progress.done() + " rows done, not done with " + rows + described());
        return this;
    }

    /** Fails if a row has failed. */
    public TestSweep assertNoneFailed() {
        if (!errors.isEmpty()) throw new AssertionError("rows of " + progress.name() + " have failed" + described());
        return this;
    }

    /** Fails unless the row with that key has failed. */
    public TestSweep assertFailed(String... key) {
        if (errors.stream().noneMatch(each -> each.key().equals(List.of(key))))
            throw new AssertionError("the row " + List.of(key) + " of " + progress.name() + " has not failed"
                    + (errors.isEmpty() ? ", and no other one" : described()));
        return this;
    }

    private String described() {
        return errors.isEmpty()
                ? ""
                : ": "
                        + errors.stream()
                                .map(each -> each.key() + " "
                                        + each.error().lines().findFirst().orElse("") + " (" + each.attempts()
                                        + " attempts)")
                                .toList();
    }
}
