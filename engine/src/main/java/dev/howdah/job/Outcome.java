package dev.howdah.job;

import dev.howdah.job.internal.store.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The outcome of an attempt, as a handler returns it. */
public sealed interface Outcome
        permits Outcome.Done,
                Outcome.Snooze,
                Outcome.Retry,
                Outcome.Fail,
                Outcome.Cancel,
                Outcome.Next,
                Outcome.MoveTo,
                Outcome.Suspended {
    /** The job is done. */
    static Outcome done() {
        return Done.DONE;
    }

    /** Reschedules the job after {@code delay} without counting an attempt. */
    static Outcome snooze(Duration delay) {
        return new Snooze(delay);
    }

    /**
     * Fails the attempt, as if the handler had thrown an exception, and sets the delay of the next one. The retry
     * policy decides whether there is a next one: after the last attempt of the policy, or of the job, the job has
     * failed. {@link #snooze} has no such limit.
     *
     * @param reason stored as the error of the job; null: {@code no reason given}
     */
    static Outcome retry(Duration delay, @Nullable String reason) {
        return new Retry(delay, reason);
    }

    /**
     * Fails the job for good.
     *
     * @param reason stored as the error of the job; null: {@code no reason given}
     */
    static Outcome fail(@Nullable String reason) {
        return new Fail(reason);
    }

    /**
     * Cancels the job: it ends as cancelled, which is no failure.
     *
     * @param reason stored as the error of the job; null: {@code cancelled by its handler}
     */
    static Outcome cancel(@Nullable String reason) {
        return new Cancel(reason);
    }

    /** Ends this stage; the job moves to the next one of its {@link Pipeline} with that payload. */
    static Outcome next(Object payload) {
        return new Next(null, payload);
    }

    /** Ends this stage; the job moves to the named one of its {@link Pipeline} with that payload. */
    static Outcome next(String stage, Object payload) {
        return new Next(stage, payload);
    }

    /**
     * The stage of a pipeline is done.
     *
     * @param stage the next one by name; null: the one that follows
     */
    record Next(@Nullable String stage, Object payload) implements Outcome {}

    /**
     * The stage of a pipeline is done, and the job continues as one of another kind. A {@link Pipeline} makes it from {@link #next}.
     *
     * @param queue of the next stage
     * @param kind of the next stage
     */
    record MoveTo(String queue, String kind, Object payload) implements Outcome {}

    /** The handler waits, see {@link Job#sleep}: interceptors see it. A handler that returns it without a wait has failed. */
    enum Suspended implements Outcome {
        /** The only one. */
        SUSPENDED
    }

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
     * @param reason stored as the error of the job
     */
    record Retry(Duration delay, String reason) implements Outcome {
        /** @throws IllegalArgumentException if the delay is null, negative or longer than a thousand years */
        public Retry(Duration delay, @Nullable String reason) {
            this.delay = Durations.check(delay);
            this.reason = reason == null ? Fail.NO_REASON : reason;
        }
    }

    /** @param reason stored as the error of the job */
    record Cancel(String reason) implements Outcome {
        public Cancel(@Nullable String reason) {
            this.reason = reason == null ? "cancelled by its handler" : reason;
        }
    }

    /** @param reason stored as the error of the job */
    record Fail(String reason) implements Outcome {
        private static final String NO_REASON = "no reason given";

        public Fail(@Nullable String reason) {
            this.reason = reason == null ? NO_REASON : reason;
        }
    }
}
