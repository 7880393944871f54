package dev.howdah.reach.internal.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Takes a text apart into statements: at lines that are only {@code /} if there is one, else at semicolons outside of quotes and comments.
 * Used by one thread.
 */
final class SqlSplitter {
    private static final Pattern SLASH = Pattern.compile("(?m)^[ \\t]*/[ \\t]*\\r?$");

    private final String text;
    private final boolean backslashes;
    private int at;

    private SqlSplitter(String text, boolean backslashes) {
        this.text = text;
        this.backslashes = backslashes;
    }

    /**
     * The statements, without what is blank or a comment alone.
     *
     * @param backslashes whether a backslash is an escape in quotes, and {@code #} begins a comment
     */
    static List<String> split(String text, boolean backslashes) {
        List<String> all = new ArrayList<>();
        if (SLASH.matcher(text).find()) {
            for (String each : SLASH.split(text)) if (!each.isBlank()) all.add(each.strip());
            return all;
        }
        new SqlSplitter(text, backslashes).split(all);
        return all;
    }

    private void split(List<String> all) {
        int from = 0;
        boolean some = false;
        while (at < text.length()) {
            char now = text.charAt(at);
            if (now == ';') {
                if (some) all.add(text.substring(from, at).strip());
                from = ++at;
                some = false;
            } else if (isComment()) {
                skipComment();
            } else {
                some |= !Character.isWhitespace(now);
                skipPiece(now);
            }
        }
        if (some) all.add(text.substring(from).strip());
    }

    private boolean isComment() {
        return text.startsWith("--", at) || text.startsWith("/*", at) || backslashes && text.charAt(at) == '#';
    }

    private void skipComment() {
        boolean block = text.startsWith("/*", at);
        int end = block ? text.indexOf("*/", at + 2) : text.indexOf('\n', at);
        at = end < 0 ? text.length() : block ? end + 2 : end + 1;
    }

    private void skipPiece(char now) {
        if (now == '\'' || now == '"' || now == '`') {
            skipQuoted(now);
        } else if (!backslashes && text.startsWith("$$", at)) {
            int end = text.indexOf("$$", at + 2);
            at = end < 0 ? text.length() : end + 2;
        } else {
            at++;
        }
    }

    /** A doubled mark ends it and begins the next. */
    private void skipQuoted(char mark) {
        at++;
        while (at < text.length() && text.charAt(at) != mark)
            at += backslashes && mark != '`' && text.charAt(at) == '\\' ? 2 : 1;
        at = Math.min(at + 1, text.length());
    }
}
