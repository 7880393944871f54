package dev.howdah.console.internal.access;

import dev.howdah.operations.Role;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A login: the name, the role, and the token that it rests on.
 *
 * @param name as the audit table shows it
 * @param token the hash of a token, in hexadecimal; null: it rests on none
 * @param queues those that it may use; empty: all
 */
record Identity(String name, Role role, @Nullable String token, List<String> queues) {
    /** One that may use all queues. */
    Identity(String name, Role role, @Nullable String token) {
        this(name, role, token, List.of());
    }
}
