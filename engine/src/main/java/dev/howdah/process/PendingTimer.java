package dev.howdah.process;

import java.time.Instant;

/**
 * A timer that waits.
 *
 * @param process whose
 * @param removes whether the process goes then
 * @param attempts how often it has failed
 */
public record PendingTimer(String process, boolean removes, Instant at, int attempts) {}
