package dev.howdah.job.history;

import dev.howdah.job.query.JobState;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The retention of ended jobs in the whole database, their archives, and the tags that are counted.
 * {@code dev.howdah.job.Jobs#history} has it. Each method is a transaction of its own. Safe for use by many threads.
 */
public interface JobHistory {
    /**
     * Stores a rule in place of that of its queue and outcome. Nodes follow it within seconds; jobs that are done go when they are in the statistics,
     * which takes about a minute. The role needs the privileges of the duty {@code worker}.
     *
     * @throws dev.howdah.job.JobsException if there is no such archive, or the role lacks privileges
     */
    void retain(RetentionRule rule);

    /**
     * Removes the rule of that queue and outcome: the jobs are kept as long as {@code JobsBuilder.retention} says.
     *
     * @param queue null: the rule of all queues that have none of their own
     */
    void retainByDefault(@Nullable String queue, JobState outcome);

    /** Returns all rules, by queue and outcome. */
    List<RetentionRule> rules();

    /**
     * Counts the jobs of a tag from now on, in {@code howdah.tag_stats} and in the metric {@code howdah_jobs_tagged_total}.
     *
     * @param tag a tag, or the beginning of tags and a star, as {@code customer:*}; 100 in all at most
     * @param most how many different tags a star stands for at most, 1 to 1,000; further ones are counted together, as the tag with the star
     */
    void countTag(String tag, int most);

    /** Counts a tag no longer; returns whether it was counted. */
    boolean uncountTag(String tag);

    /** Returns the tags that are counted, each with how many different tags it stands for at most. */
    Map<String, Integer> countedTags();
}
