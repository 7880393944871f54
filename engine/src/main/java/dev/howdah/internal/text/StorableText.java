package dev.howdah.internal.text;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Text on its way to the database. A half of a character, which Java's strings can hold, has no bytes in UTF-8: drivers and {@link
 * String#getBytes} write a question mark in its place. It is refused instead, as the server refuses the character 0.
 */
public final class StorableText {
    private static final String CHARACTER_NOT_IN_REPERTOIRE = "22021";

    private StorableText() {}

    /** What UTF-8 cannot say of that text, in words; null: it can say all. */
    public static @Nullable String objection(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) continue;
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1)))
                i++;
            else
                return String.format(
                        "the text has half a character, U+%04X, at position %d, which UTF-8 cannot encode",
                        (int) c, i + 1);
        }
        return null;
    }

    /** @throws SQLException as for text that the database cannot store: if there is an {@link #objection} */
    public static String check(String text) throws SQLException {
        String objection = objection(text);
        if (objection != null) throw new SQLException(objection, CHARACTER_NOT_IN_REPERTOIRE);
        return text;
    }

    /** @throws IllegalArgumentException if there is an {@link #objection} */
    public static byte[] bytes(String text) {
        String objection = objection(text);
        if (objection != null) throw new IllegalArgumentException(objection);
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
