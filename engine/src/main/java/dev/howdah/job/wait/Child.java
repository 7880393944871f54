package dev.howdah.job.wait;

/**
 * A job that a handler has added as a child, see {@link dev.howdah.job.Job#child}.
 *
 * @param name by which the handler has added it
 * @param number which of that name, from 1
 * @param id of the job
 */
public record Child(String name, int number, long id) {}
