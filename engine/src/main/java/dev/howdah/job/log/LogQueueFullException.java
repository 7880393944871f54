package dev.howdah.job.log;

import dev.howdah.job.JobsException;

/**
 * Thrown when a job is added to a log queue of which a reader has as much to read as {@link LogQueues#limitUnread} allows. Nothing was added: the
 * same can be added later.
 */
public final class LogQueueFullException extends JobsException {
    private static final long serialVersionUID = 1;

    public LogQueueFullException(String message, Throwable cause) {
        super(message, cause);
    }
}
