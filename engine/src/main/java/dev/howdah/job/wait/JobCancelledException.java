package dev.howdah.job.wait;

import dev.howdah.job.JobsException;

/**
 * Thrown where a handler waits and its job has been cancelled meanwhile, if {@link dev.howdah.job.HandlerOptions#cancelByException} asks for that: its steps
 * work on, such as those that undo what others have done, and the job is cancelled whatever this run returns.
 */
public class JobCancelledException extends JobsException {
    private static final long serialVersionUID = 1;

    public JobCancelledException(String message) {
        super(message);
    }
}
