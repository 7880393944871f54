package dev.howdah.job.wait;

import dev.howdah.job.FatalException;
import java.time.Duration;

/** Thrown by {@link dev.howdah.job.Job#awaitOrFail} when no signal came in time: in each later run the same, so that a handler that does not catch it has failed for good. */
public class WaitTimeoutException extends FatalException {
    private static final long serialVersionUID = 1;

    public WaitTimeoutException(String name, Duration atMost) {
        super("no signal \"" + name + "\" came within " + atMost);
    }
}
