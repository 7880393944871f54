package dev.howdah.job.wait;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A signal to a job, for people.
 *
 * @param number a number that no other signal has
 * @param payload JSON
 * @param id that the sender gave; null: none
 * @param sender the setting {@code howdah.actor} of the sender's session, or else its role
 * @param read when a wait of the job has read it, or it was left out as a duplicate; null: it is unread
 * @param problem why it was set aside: its payload could not be read; null: it can be read
 */
public record SentSignal(
        long number,
        String name,
        String payload,
        @Nullable String id,
        String sender,
        Instant sent,
        @Nullable Instant read,
        @Nullable String problem) {}
