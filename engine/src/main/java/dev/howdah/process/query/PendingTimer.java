package dev.howdah.process.query;

import java.time.Instant;

/**
 * A timer that waits.
 *
 * @param process the id of its process
 * @param removes whether the process is removed then
 * @param attempts the number of failed attempts
 */
public record PendingTimer(String process, boolean removes, Instant at, int attempts) {}
