package dev.howdah.job.query;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a job, as its handler reported it last.
 *
 * @param done from 0 to 1
 * @param message null if it gave none
 * @param at when it said so
 */
public record JobProgress(double done, @Nullable String message, Instant at) {}
