package dev.howdah.operations.chart;

import java.time.Instant;

/** How many jobs have failed for good in a step of time from {@code time} on. */
public record ErrorPoint(Instant time, long jobs) {}
