package dev.howdah.operations.read;

/**
 * A queue in which more jobs fail than before.
 *
 * @param lately how many have failed for good in the last hour
 * @param before how many have in the day before that
 */
public record FailureGrowth(String queue, long lately, long before) {}
