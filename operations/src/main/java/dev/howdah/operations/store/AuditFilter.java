package dev.howdah.operations.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of rows of the audit table, and their order.
 *
 * @param actor part of the name; null: all
 * @param object beginning of its path; null: all
 * @param action beginning of its name; null: all
 * @param from the earliest time; null: any
 * @param until the time has to be before this; null: any
 */
public record AuditFilter(
        @Nullable String actor,
        @Nullable String object,
        @Nullable String action,
        @Nullable Instant from,
        @Nullable Instant until,
        AuditOrder order) {
    /** The same in the opposite order. */
    public AuditFilter backwards() {
        return new AuditFilter(
                actor, object, action, from, until, order == AuditOrder.NEWEST ? AuditOrder.OLDEST : AuditOrder.NEWEST);
    }

    /** Whether there is a condition. */
    public boolean isFiltered() {
        return actor != null || object != null || action != null || from != null || until != null;
    }
}
