package dev.howdah.job.query;

/**
 * A job whose payload cannot be read.
 *
 * @param error what the codec says of it
 */
public record UnreadablePayload(long id, String queue, String kind, JobState state, String error) {}
