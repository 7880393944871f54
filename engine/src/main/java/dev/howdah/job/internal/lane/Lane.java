package dev.howdah.job.internal.lane;

import org.jspecify.annotations.Nullable;

/**
 * A line in which jobs wait.
 *
 * @param kind null: all kinds of the queue that have no lane of their own
 */
public record Lane(int id, String queue, @Nullable String kind) {}
