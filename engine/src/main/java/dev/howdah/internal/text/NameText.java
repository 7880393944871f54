package dev.howdah.internal.text;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Names: of queues, kinds, schedules, sweeps and all else that has one, keys and tags included. A name is in one line and reads the
 * same everywhere: control characters, and those that change the direction of writing, are refused where a name enters. Names that
 * are in a database already can be read, cancelled and deleted. {@code howdah_internal.check_characters} says the same in SQL.
 */
public final class NameText {
    private NameText() {}

    /** What a name cannot have, in words; null: it has nothing of that. */
    public static @Nullable String objection(String name) {
        for (int i = 0, at = 1; i < name.length(); i += Character.charCount(name.codePointAt(i)), at++) {
            int c = name.codePointAt(i);
            if (isRefused(c))
                return String.format(
                        Locale.ROOT,
                        "has the character U+%04X at position %d: it can have no control characters, and none that change"
                                + " the direction of writing",
                        c,
                        at);
        }
        return null;
    }

    /**
     * Returns the name.
     *
     * @param what for the message: "the name of a queue"
     * @throws IllegalArgumentException if there is an {@link #objection}
     */
    public static String check(String what, String name) {
        String objection = objection(name);
        if (objection != null) throw new IllegalArgumentException(what + " " + objection);
        return name;
    }

    /** Control characters, line and paragraph separators, embeddings, overrides and isolates of bidirectional text. */
    private static boolean isRefused(int c) {
        return c < ' ' || c >= 0x7F && c <= 0x9F || c >= 0x2028 && c <= 0x202E || c >= 0x2066 && c <= 0x2069;
    }
}
