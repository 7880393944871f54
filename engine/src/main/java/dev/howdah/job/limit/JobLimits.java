package dev.howdah.job.limit;

import java.time.Duration;
import java.util.List;

/**
 * Limits of jobs, over all nodes. Several can apply to one job: it begins when all of them let it. Nodes notice a change within two
 * seconds; jobs that were claimed before continue. Each method runs in a transaction of its own, and throws {@link
 * dev.howdah.job.JobsException} if the database refuses it. Safe for use by many threads.
 */
public interface JobLimits {
    /**
     * Limits how many jobs run at the same time.
     *
     * @param jobs 1 or more
     * @throws IllegalArgumentException if it is less than 1
     */
    void setConcurrency(LimitScope scope, int jobs);

    /** Removes the limit of {@link #setConcurrency}; does nothing if there is none. */
    void removeConcurrency(LimitScope scope);

    /**
     * Limits how many jobs run at the same time on each node. Holds beside {@link #setConcurrency}.
     *
     * @param scope a queue, or a kind of it: groups have no such limit
     * @param jobs 1 or more
     * @throws IllegalArgumentException if it is less than 1, or the scope has groups
     */
    void setNodeConcurrency(LimitScope scope, int jobs);

    /** Removes the limit of {@link #setNodeConcurrency}; does nothing if there is none. */
    void removeNodeConcurrency(LimitScope scope);

    /**
     * Limits how many jobs begin within a period. A scope can have rates of several periods; one of the same period is changed, and its used part
     * stays used. A job that is heavier than the rate allows at once is refused when it is added; one that waits already fails.
     */
    void setRate(LimitScope scope, Rate rate);

    /** Removes the rate of that period; does nothing if there is none. */
    void removeRate(LimitScope scope, Duration period);

    /** Removes all rates of that scope. */
    void removeRates(LimitScope scope);

    /**
     * Sets how many jobs a group gets in proportion to the other groups of its queue, while several of them have jobs that are due. Holds from the next
     * claim on.
     *
     * @param share 0.001 to 1000; 1 by default
     * @throws IllegalArgumentException if it is out of bounds
     */
    void setShare(String queue, String group, double share);

    /**
     * Lets jobs rise in priority while they wait: by one each time that the time has passed.
     *
     * @param every 1 second to 366 days
     * @param most by how much at most, 1 to 200
     * @throws IllegalArgumentException if a value is out of bounds
     */
    void setAgeing(String queue, Duration every, int most);

    /** Removes the ageing of a queue; does nothing if there is none. */
    void removeAgeing(String queue);

    /** Lists all settings, by queue. */
    List<LimitSetting> list();
}
