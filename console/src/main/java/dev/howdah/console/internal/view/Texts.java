package dev.howdah.console.internal.view;

import dev.howdah.internal.http.HtmlText;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Texts of users: shown as they are, but for characters that hide or turn others around. */
public final class Texts {
    private static final int LINE = 160;
    /** What has room in two lines of a column of errors. */
    private static final int SHORT_LINE = 70;

    private static final int REST = 600;
    /** How much of an answer of another server is read for its words. */
    private static final int READ = 2000;

    private static final Pattern PAGE = Pattern.compile("(?i)<(html|!doctype html)");

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

    /** The first of some names, and how many more there are. */
    public static String some(List<String> names) {
        if (names.isEmpty()) return "";
        return CutName.of(names.get(0)).brief() + (names.size() == 1 ? "" : " +" + (names.size() - 1));
    }

    /** What a row shows of an error on demand, where its line is not all: up to 600 characters. The page of its job has the whole. */
    public static String rest(String text) {
        String whole = visible(text).strip();
        String first = errorLine(text);
        if (whole.equals(first)) return first.length() <= SHORT_LINE ? "" : whole;
        if (whole.startsWith(first))
            whole = whole.substring(first.length()).stripTrailing().substring(1);
        String shown = beginning(whole, REST);
        return shown.length() == whole.length() ? whole : shown + "\u2026";
    }

    /** The beginning of a text of several lines, of at most 160 characters. */
    public static String start(@Nullable String text) {
        String whole = visible(text).strip();
        String start = beginning(whole, LINE);
        return start.length() == whole.length() ? whole : start + "\u2026";
    }

    /** The line of an error in a list. A page that a server or proxy has answered with is named by its title and its first line. */
    public static String errorLine(@Nullable String text) {
        if (text == null) return "";
        String start = beginning(text, READ);
        Matcher html = PAGE.matcher(start);
        if (!html.find()) return line(text);
        int page = html.start();
        return line(start.substring(0, page).replaceAll("\\s+", " ") + HtmlText.summary(start.substring(page)));
    }

    /** The first line that is not blank, of at most 160 characters. */
    public static String line(@Nullable String text) {
        String first = visible(text).strip().lines().findFirst().orElse("");
        return first.length() <= LINE ? first : first.substring(0, LINE) + "\u2026";
    }
}
