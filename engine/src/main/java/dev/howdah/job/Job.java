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
     * A number that is larger the later a job was taken. A system that is handed it together with a write can refuse a write
     * with a smaller one: that comes from a node which was taken for dead while another went on with the job.
     *
     * <p>It is the time of the database's server in microseconds since 1970; while that clock is behind the last token, it is
     * the next number of a sequence. It grows on one server, even when its clock is set back. After a failover that lost
     * transactions or after a restore it grows if the server's clock is ahead of the former server's clock at the last claim.
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
