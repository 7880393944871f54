package dev.howdah.job;

/**
 * The result of adding a job with a key, or another rule of {@link dev.howdah.job.unique.Unique}.
 *
 * @param id of the job, or of the job that has the key, or had it last
 * @param added whether the job was added, or changed the one with that id; false: nothing was changed
 */
public record AddResult(long id, boolean added) {}
