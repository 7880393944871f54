package dev.howdah.job;

/**
 * What became of a job with a key that was to be added.
 *
 * @param id its number, or that of the job that has the key, or had it last
 * @param added whether what was asked for will run; false: nothing was changed
 */
public record AddResult(long id, boolean added) {}
