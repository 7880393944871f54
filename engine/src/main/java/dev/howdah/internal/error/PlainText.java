package dev.howdah.internal.error;

import java.util.Locale;

/**
 * Text of others on our outputs: logs, terminals, messages. Control characters, which a terminal would carry out, and characters
 * that change the direction of writing are shown by their code.
 */
public final class PlainText {
    private PlainText() {}

    /** The text with its line feeds and tabs. */
    public static String of(String text) {
        return text.codePoints().noneMatch(PlainText::isUnsafe) ? text : shown(text);
    }

    /** The text in one line: its line feeds and tabs are shown as their codes, too. */
    public static String line(String text) {
        return of(text).replace("\n", "\\n").replace("\t", "\\t");
    }

    private static String shown(String text) {
        StringBuilder shown = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            if (isUnsafe(c)) shown.append(code(c));
            else shown.appendCodePoint(c);
        });
        return shown.toString();
    }

    /** Tells whether a character may not reach a terminal. */
    public static boolean isUnsafe(int c) {
        if (c == '\n' || c == '\t') return false;
        return c < ' ' || c >= 0x7F && c <= 0x9F || isDirection(c);
    }

    /** Marks, embeddings, overrides and isolates of bidirectional text; and what a terminal takes for a new line. */
    private static boolean isDirection(int c) {
        return c == 0x061C || c == 0x200E || c == 0x200F || c >= 0x2028 && c <= 0x202E || c >= 0x2066 && c <= 0x206F;
    }

    /** The character as people can see it. */
    public static String code(int c) {
        if (c == '\r') return "\\r";
        return c <= 0xFF ? String.format(Locale.ROOT, "\\x%02X", c) : String.format(Locale.ROOT, "\\u%04X", c);
    }
}
