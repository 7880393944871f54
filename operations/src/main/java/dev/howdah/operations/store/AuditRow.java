package dev.howdah.operations.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code howdah.audit} with its outcome.
 *
 * @param outcome begun, if none has followed
 * @param message of the outcome
 * @param result the object after the change, as JSON; null: not known
 */
public record AuditRow(
        long id,
        Instant at,
        AuditEntry entry,
        String outcome,
        @Nullable String message,
        @Nullable String result) {}
