package dev.howdah.operations.read;

import org.jspecify.annotations.Nullable;

/**
 * A calendar of holidays.
 *
 * @param next the next of its days, today included; null: all are over
 * @param last the last of its days
 */
public record CalendarSummary(
        String name, long days, @Nullable String next, String last) {}
