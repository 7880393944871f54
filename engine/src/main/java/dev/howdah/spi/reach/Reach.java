package dev.howdah.spi.reach;

/**
 * Does tasks whose {@code remote} names something else than a PostgreSQL: an HTTP API, a mail server, a program. Has to be safe for use
 * by many threads: each task runs in a thread of its own.
 */
public interface Reach {
    /**
     * Returns whether {@code remote} names work of this one, whether or not it is allowed; everything else is the address of a
     * PostgreSQL. Asked for each task with a remote: it has to return at once.
     */
    boolean takes(String remote);

    /**
     * Does the task and returns when it has ended. A task may be done more than once: after a crash of the program, or when its answer
     * was lost.
     *
     * @param cancellation says when to stop; the method has to return soon after
     * @return the result; what is thrown instead is an error of the task
     */
    ReachResult run(ReachTask task, Cancellation cancellation);

    /** One that takes no remote. */
    static Reach none() {
        return new Reach() {
            @Override
            public boolean takes(String remote) {
                return false;
            }

            @Override
            public ReachResult run(ReachTask task, Cancellation cancellation) {
                return ReachResult.failed("nothing can be reached", null, null);
            }
        };
    }
}
