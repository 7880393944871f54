package dev.howdah.operations.chart;

import java.time.Instant;

/** How many rows of a sweep were done and failed in a step of time from {@code time} on. */
public record SweepPoint(Instant time, long done, long failed) {}
