package dev.howdah.reach.job;

import dev.howdah.job.JobsException;
import java.time.Duration;

/** Thrown when something was not done, and another attempt may help. What would fail again is a {@link dev.howdah.job.FatalException}. */
public final class ReachException extends JobsException {
    private static final long serialVersionUID = 1;

    private final Duration retryAfter;

    ReachException(String message, Duration retryAfter) {
        super(message);
        this.retryAfter = retryAfter;
    }

    /** How long the other side has asked to wait; zero where it has not. */
    public Duration retryAfter() {
        return retryAfter;
    }
}
