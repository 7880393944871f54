package dev.howdah.job.wait;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An event that a handler has waited for.
 *
 * @param payload null: it was emitted with none, or with JSON {@code null}
 * @param number a number that no other event has
 * @param sender the setting {@code howdah.actor} of the sender's session, or else its role
 * @param emitted when, by the clock of the database
 */
public record EmittedEvent<T>(@Nullable T payload, long number, String sender, Instant emitted) {}
