package dev.howdah.console.internal.data;

import java.time.Instant;

/** The jobs that ended in a step of time from {@code time} on. */
public record ThroughputPoint(Instant time, long done, long retried, long failed) {}
