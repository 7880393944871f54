package dev.howdah.job;

import org.jspecify.annotations.Nullable;

/** The job that a handler works on. Safe for use by many threads. */
public interface Job {
    /** Its number, the same over all attempts. */
    long id();

    /** Where it waited. */
    String queue();

    /** What it is. */
    String kind();

    /** Lower goes first. */
    int priority();

    /** Which attempt this is, from 1. */
    int attempt();

    /**
     * A number that is larger the later a job was taken. Whoever is handed it together with a write can refuse what comes
     * with a smaller one: that comes from a node which was taken for dead while another went on with the job.
     */
    long fencingToken();

    /** Whether this attempt shall end: the job was cancelled, its time is over, or its node stops or has lost its claim. */
    boolean cancelled();

    /**
     * Leaves a result, kept with the history of the job if this attempt succeeds. The last one counts.
     *
     * @param result anything that the codec can turn into JSON, at most some kilobytes
     */
    void result(@Nullable Object result);
}
