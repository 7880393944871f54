package dev.howdah.console.internal.view;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Texts of users: shown as they are, but for characters that hide or turn others around. */
public final class Texts {
    private static final int LINE = 160;

    private Texts() {}

    /** With symbols in place of control characters and of those that change the direction of writing. */
    public static String visible(@Nullable String text) {
        if (text == null) return "";
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().forEach(each -> {
            if (each == '\n' || each == '\t') shown.append((char) each);
            else if (each < 0x20) shown.append((char) (0x2400 + each));
            else if (each == 0x7f) shown.append('\u2421');
            else if (Character.isISOControl(each) || turns(each)) shown.append('\ufffd');
            else shown.appendCodePoint(each);
        });
        return shown.toString();
    }

    /** Whether a remedy is an SQL statement or a command, which is shown as one; others are sentences. */
    public static boolean isCode(String remedy) {
        return remedy.endsWith(";") || remedy.startsWith("howdah ");
    }

    /** The name of a constant as addresses, forms and requests have it: in lower case, with hyphens. */
    public static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static boolean turns(int each) {
        return each >= 0x202a && each <= 0x202e || each >= 0x2066 && each <= 0x2069 || each == 0x200e || each == 0x200f;
    }

    /** The beginning of a text, of at most so many characters. */
    public static String beginning(String text, int most) {
        if (text.length() <= most) return text;
        return text.substring(0, Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most);
    }

    /** The first line that is not blank, of at most 160 characters. */
    public static String line(@Nullable String text) {
        String first = visible(text).strip().lines().findFirst().orElse("");
        return first.length() <= LINE ? first : first.substring(0, LINE) + "\u2026";
    }
}
