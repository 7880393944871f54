package dev.howdah.spi;

/**
 * The demand of a program whose handlers hand jobs on to others, such as workers that ask by HTTP: how many jobs its node may have, and what
 * was written of them. Its methods are called in threads of the node; they return soon and throw nothing. Has to be safe for use by many threads.
 */
public interface JobDemand {
    /**
     * A node has started; also when another one takes the place of one that was lost.
     *
     * @param grown to be called when {@link #wanted} has grown; safe for use by many threads
     */
    void started(Runnable grown);

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
}
