package dev.howdah.job.wait;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A signal that a handler has waited for.
 *
 * @param payload null: it was sent with none, or with JSON {@code null}
 * @param id that the sender gave, see {@link NewSignal#id}; null: none
 * @param sender the setting {@code howdah.actor} of the sender's session, or else its role
 * @param sent when it was sent, by the clock of the database
 */
public record Signal<T>(@Nullable T payload, @Nullable String id, String sender, Instant sent) {}
