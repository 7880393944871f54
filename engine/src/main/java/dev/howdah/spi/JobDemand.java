package dev.howdah.spi;

/**
 * The demand of a program whose handlers hand jobs on to others, such as workers that ask by HTTP: how many jobs its node may have, and what
 * was written of them. Its methods are called in threads of the node; they return soon and throw nothing. Has to be safe for use by many threads.
 */
public interface JobDemand {
    /**
     * A node has started; also when another one takes the place of one that was lost.
     *
     * @param node to be told when {@link #wanted} has grown
     */
    void started(Node node);

    /**
     * Returns how many jobs the node may have at a time: those that handlers have handed on and wait for, and as many more as others ask for. The
     * node claims no job beyond that; 0: none. A job counts as handed on until its handler has returned.
     */
    int wanted();

    /**
     * What an attempt ended with is durable, or was refused.
     *
     * @param job its id
     * @param accepted false: the node had lost its claim, and others have the job
     */
    void written(long job, boolean accepted);

    /** A node that claims for the demand. Safe for use by many threads. */
    interface Node {
        /** To be called when {@link JobDemand#wanted} has grown. */
        void grown();

        /** Returns how many claimed jobs it has whose handlers have not returned: some of them may have no thread yet, or their payload is being read. */
        int jobs();

        /**
         * Returns whether it has looked for jobs in all its queues since that moment, and found fewer than were wanted. What it has found is among its
         * {@linkplain #jobs jobs} then. Queues that it looks at later, such as those whose rate is used up, count as looked at.
         *
         * @param nanos a time of {@link System#nanoTime}
         */
        boolean hasLookedSince(long nanos);
    }
}
