package dev.howdah.job;

import java.time.Duration;

/** How an attempt ended. */
public sealed interface Outcome {
    /** The job is done. */
    static Outcome done() {
        return Done.DONE;
    }

    /** Not now: the job comes back after that time, and this was no attempt. */
    static Outcome snooze(Duration delay) {
        return new Snooze(delay);
    }

    /** The attempt failed; the job comes back after that time, whatever the retry policy says. */
    static Outcome retry(Duration delay, String reason) {
        return new Retry(delay, reason);
    }

    /** The job has failed for good. */
    static Outcome fail(String reason) {
        return new Fail(reason);
    }

    /** The job is done. */
    enum Done implements Outcome {
        /** The only one. */
        DONE
    }

    /** @param delay not negative */
    record Snooze(Duration delay) implements Outcome {
        /** @throws IllegalArgumentException if the delay is negative */
        public Snooze {
            Delays.check(delay);
        }
    }

    /**
     * @param delay not negative
     * @param reason stands with the job as its error
     */
    record Retry(Duration delay, String reason) implements Outcome {
        /** @throws IllegalArgumentException if the delay is negative */
        public Retry {
            Delays.check(delay);
        }
    }

    /** @param reason stands with the job as its error */
    record Fail(String reason) implements Outcome {}
}
