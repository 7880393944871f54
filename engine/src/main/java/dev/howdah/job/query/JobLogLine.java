package dev.howdah.job.query;

import java.time.Instant;

/**
 * A line that a handler has logged for its job.
 *
 * @param at when it did
 * @param attempt the number of the attempt, from 1
 */
public record JobLogLine(Instant at, int attempt, String line) {}
