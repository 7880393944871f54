package dev.howdah.job.query;

/**
 * What became of a job.
 *
 * @param queue the queue that it is or was in
 */
public record JobEvent(long id, String queue, String kind, JobState state) {}
