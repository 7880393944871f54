package dev.howdah.job.wait;

import dev.howdah.job.FatalException;
import java.time.Duration;

/** Thrown by {@link dev.howdah.job.Job#awaitOrFail} when no signal came in time, and by {@link dev.howdah.job.Job#awaitJob} when the job has not ended then: in each later run the same, so that a handler that does not catch it has failed for good. */
public class WaitTimeoutException extends FatalException {
    private static final long serialVersionUID = 1;

    /** A job has not ended in time. */
    public WaitTimeoutException(String name, long job, Duration atMost) {
        super("job " + job + ", waited for as \"" + name + "\", has not ended within " + atMost);
    }

    public WaitTimeoutException(String name, Duration atMost) {
        super("no signal \"" + name + "\" came within " + atMost);
    }
}
