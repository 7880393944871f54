package dev.howdah.job.wait;

/**
 * Ends the run of a handler that waits: not an error of the handler, and not to be caught. A handler that catches it all the same is
 * suspended when it returns; the methods of {@link dev.howdah.job.Job} that do or wait for something throw it again until then.
 */
public final class JobSuspended extends Error {
    private static final long serialVersionUID = 1;

    /** @param what the job waits for: {@code sleep "cool down"} */
    public JobSuspended(String what) {
        super("the job is suspended: it waits for " + what, null, false, false);
    }
}
