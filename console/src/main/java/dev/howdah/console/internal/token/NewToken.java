package dev.howdah.console.internal.token;

import dev.howdah.internal.text.NameText;
import dev.howdah.operations.Role;
import dev.howdah.operations.value.Periods;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A token that is to be added.
 *
 * @param lasts null: for ever
 * @param queues those that it may use; empty: all
 */
record NewToken(String name, Role role, @Nullable Duration lasts, List<String> queues) {
    private static final Duration LONGEST = Duration.ofDays(366);
    private static final int MOST_CHARACTERS = 100;

    String[] queueArray() {
        return queues.toArray(String[]::new);
    }

    /** @throws IllegalArgumentException if a value cannot be */
    static NewToken of(@Nullable String name, @Nullable String role, @Nullable String expires, List<String> queues) {
        String called = name == null ? "" : name.strip();
        if (called.isEmpty() || called.length() > MOST_CHARACTERS)
            throw new IllegalArgumentException(
                    "name has to have 1 to " + MOST_CHARACTERS + " characters, not " + called.length());
        NameText.check("name", called);
        Role may = Role.of(role == null ? "" : role)
                .orElseThrow(() -> new IllegalArgumentException(
                        "role has to be one of " + Role.names() + ", not \"" + (role == null ? "" : role) + "\""));
        Duration lasts = expires == null || expires.isBlank() ? null : Periods.parse(expires);
        if (lasts != null && (lasts.isNegative() || lasts.isZero() || lasts.compareTo(LONGEST) > 0))
            throw new IllegalArgumentException(
                    "expires has to be a period of up to " + LONGEST.toDays() + " days, not \"" + expires + "\"");
        may.checkQueues(queues);
        return new NewToken(called, may, lasts, queues);
    }
}
