package dev.howdah.console.internal.bulk;

import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.view.Numbers;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A change of many objects in the background, and how far it is. Safe for use by many threads. */
public final class BulkRun {
    /** The change itself, in steps of a transaction each. */
    @FunctionalInterface
    public interface Work {
        /** Does all steps, and tells the run of each; when that answers no, it returns. */
        void run(BulkRun run);
    }

    private final long id;
    private final String title;
    private final String back;
    private final @Nullable Long expected;
    private final Instant created = Instant.now();
    private long done;
    private long left;
    private @Nullable Instant started;
    private @Nullable Instant ended;
    private @Nullable String error;
    private boolean stopping;
    private final CompletableFuture<ActionResult.End> ending = new CompletableFuture<>();

    BulkRun(long id, String title, String back, @Nullable Long expected) {
        this.id = id;
        this.title = title;
        this.back = back;
        this.expected = expected;
    }

    /**
     * How far a run is.
     *
     * @param title what is changed and how
     * @param back the path of the list that it was started from
     * @param expected how many were counted when it began; null: they were too many to be counted
     * @param left how many could not be changed
     * @param error why it has ended before all were changed; null: it has not
     */
    public record Status(
            long id,
            String title,
            String back,
            @Nullable Long expected,
            long done,
            long left,
            Instant created,
            @Nullable Instant started,
            @Nullable Instant ended,
            @Nullable String error,
            boolean isStopping) {
        /** Such as done or stopped. */
        public String word() {
            if (started == null && ended == null) return "waiting";
            if (ended == null) return isStopping ? "stopping" : "running";
            return error != null ? "failed" : isStopping ? "stopped" : "done";
        }

        /** How many a second. */
        public double rate() {
            double seconds = Math.max(0.001, took().toMillis() / 1000.0);
            return (done + left) / seconds;
        }

        /** How long it has run. */
        public Duration took() {
            if (started == null) return Duration.ZERO;
            return Duration.between(started, ended == null ? Instant.now() : ended);
        }
    }

    /**
     * Says how far it is.
     *
     * @return whether it goes on
     */
    public synchronized boolean step(long changed, long notChanged) {
        done = changed;
        left = notChanged;
        return !stopping;
    }

    /** Says how far the next step has come, beside those before. */
    public synchronized boolean more(long changed, long notChanged) {
        return step(done + changed, left + notChanged);
    }

    synchronized boolean begin() {
        started = Instant.now();
        return !stopping;
    }

    synchronized void end(@Nullable String failure) {
        ended = Instant.now();
        error = failure;
    }

    synchronized void stop() {
        if (ended == null) stopping = true;
    }

    /** Is told of its end. */
    public CompletionStage<ActionResult.End> ending() {
        return ending;
    }

    /** Tells of its end. */
    void tell() {
        Status status = status();
        String counts = Numbers.count(status.done()) + " changed, " + Numbers.count(status.left()) + " not changed";
        String failure = status.error();
        boolean done = status.word().equals("done");
        ending.complete(new ActionResult.End(
                done, done ? counts + "." : failure == null ? "Stopped: " + counts + "." : counts + ". " + failure));
    }

    public synchronized Status status() {
        return new Status(id, title, back, expected, done, left, created, started, ended, error, stopping);
    }
}
