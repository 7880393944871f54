package dev.howdah.operations.store;

import org.jspecify.annotations.Nullable;

/**
 * What is written to {@code howdah.audit}, without secrets.
 *
 * @param actor the name of the caller
 * @param role null: the caller has none
 * @param via console, api, cli or sql
 * @param address from which the caller comes; null: none
 * @param action such as {@code tasks.cancel}
 * @param object its path, such as {@code tasks/42}; null: none
 * @param before JSON; null: not known
 * @param after JSON; null: not known
 */
public record AuditEntry(
        String actor,
        @Nullable String role,
        String via,
        @Nullable String address,
        String action,
        @Nullable String object,
        @Nullable String before,
        @Nullable String after) {}
