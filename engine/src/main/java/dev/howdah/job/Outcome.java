package dev.howdah.job;

import dev.howdah.job.internal.store.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How an attempt ended. */
public sealed interface Outcome
        permits Outcome.Done, Outcome.Snooze, Outcome.Retry, Outcome.Fail, Outcome.Next, Outcome.MoveTo {
    /** The job is done. */
    static Outcome done() {
        return Done.DONE;
    }

    /** Not now: the job comes back after that time, and this was no attempt. */
    static Outcome snooze(Duration delay) {
        return new Snooze(delay);
    }

    /**
     * The attempt failed, as if the handler had thrown an exception, and the next one is made after that time instead of the one that
     * the retry policy says. Whether there is a next one says the policy: when its attempts, or those of the job, are used up the
     * job has failed. {@link #snooze} has no such limit.
     *
     * @param reason stands with the job as its error; null: {@code no reason given}
     */
    static Outcome retry(Duration delay, @Nullable String reason) {
        return new Retry(delay, reason);
    }

    /**
     * The job has failed for good.
     *
     * @param reason stands with the job as its error; null: {@code no reason given}
     */
    static Outcome fail(@Nullable String reason) {
        return new Fail(reason);
    }

    /** This stage is done, the job goes on to the next one of its {@link Pipeline} with that payload. */
    static Outcome next(Object payload) {
        return new Next(null, payload);
    }

    /** This stage is done, the job goes on to that one of its {@link Pipeline} with that payload. */
    static Outcome next(String stage, Object payload) {
        return new Next(stage, payload);
    }

    /**
     * The stage of a pipeline is done.
     *
     * @param stage null: the one that follows
     */
    record Next(@Nullable String stage, Object payload) implements Outcome {}

    /**
     * The stage of a pipeline is done, and the job goes on as one of another kind. A {@link Pipeline} makes it of
     * {@link #next}.
     *
     * @param queue of the next stage
     * @param kind of the next stage
     */
    record MoveTo(String queue, String kind, Object payload) implements Outcome {}

    /** The job is done. */
    enum Done implements Outcome {
        /** The only one. */
        DONE
    }

    /** @param delay not negative */
    record Snooze(Duration delay) implements Outcome {
        /** @throws IllegalArgumentException if the delay is null, negative or longer than a thousand years */
        public Snooze {
            Durations.check(delay);
        }
    }

    /**
     * @param delay not negative
     * @param reason stands with the job as its error
     */
    record Retry(Duration delay, String reason) implements Outcome {
        /** @throws IllegalArgumentException if the delay is null, negative or longer than a thousand years */
        public Retry(Duration delay, @Nullable String reason) {
            this.delay = Durations.check(delay);
            this.reason = reason == null ? Fail.NO_REASON : reason;
        }
    }

    /** @param reason stands with the job as its error */
    record Fail(String reason) implements Outcome {
        private static final String NO_REASON = "no reason given";

        public Fail(@Nullable String reason) {
            this.reason = reason == null ? NO_REASON : reason;
        }
    }
}
