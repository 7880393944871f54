package dev.howdah.job;

/**
 * The result of adding a job with a key.
 *
 * @param id of the job, or of the job that has the key, or had it last
 * @param added whether the job was added; false: nothing was changed
 */
public record AddResult(long id, boolean added) {}
