package dev.howdah.operations.store;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A token as it is stored.
 *
 * @param createdBy who added it
 * @param expires null: never
 * @param used the last use, to the minute; null: never
 * @param revoked null: it is accepted
 * @param queues those that it may use; empty: all
 */
public record StoredToken(
        int id,
        String name,
        String role,
        Instant created,
        String createdBy,
        @Nullable Instant expires,
        @Nullable Instant used,
        @Nullable Instant revoked,
        List<String> queues) {
    /** Whether it is accepted. */
    public String state() {
        if (revoked != null) return "revoked";
        return expires != null && expires.isBefore(Instant.now()) ? "expired" : "accepted";
    }
}
