package dev.howdah.internal.sql;

import org.jspecify.annotations.Nullable;

/**
 * Moves over SQL text as PostgreSQL's scanner does: strings of all kinds, quoted names, dollar quotes and nested comments
 * are one piece each. For one text and one thread.
 */
public final class SqlScanner {
    private final String text;
    private final boolean plainBackslashes;
    private int at;

    /** @param plainBackslashes whether a backslash is an ordinary character in a plain string */
    public SqlScanner(String text, boolean plainBackslashes) {
        this.text = text;
        this.plainBackslashes = plainBackslashes;
    }

    public boolean isAtEnd() {
        return at >= text.length();
    }

    /** Where it is. */
    public int at() {
        return at;
    }

    /** Moves over one character. */
    public void step() {
        at++;
    }

    /** The character that it is at. */
    public char next() {
        return text.charAt(at);
    }

    /** Returns whether a parameter is here, such as $1. */
    public boolean isAtParameter() {
        return text.charAt(at) == '$' && isDigit(at + 1);
    }

    /** Moves over a parameter; its number. */
    int parameter() {
        int begin = ++at;
        while (isDigit(at)) at++;
        return Integer.parseInt(text.substring(begin, at));
    }

    /** Moves over what is one piece: a name, a literal, a comment; or else over one character. */
    public void piece() {
        if (isAtName()) word();
        else if (!between()) skip();
    }

    boolean isAtName() {
        return isNameStart(text.charAt(at));
    }

    static boolean isNameStart(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80;
    }

    /** A name or key word, in capitals; null if it was the beginning of a string such as E'...'. */
    @Nullable
    String word() {
        int begin = at;
        while (at < text.length() && (isNameStart(text.charAt(at)) || isDigit(at) || text.charAt(at) == '$')) at++;
        String word = capitals(text.substring(begin, at));
        if (at == text.length() || text.charAt(at) != '\'') return word;
        switch (word) {
            case "E" -> string(true);
            case "B", "X" -> string(false);
            case "N" -> string(!plainBackslashes);
            default -> {
                return word;
            }
        }
        return null;
    }

    /** Only a to z are the same in capitals to PostgreSQL's scanner; to Java an dotless i were an I, too. */
    private static String capitals(String word) {
        StringBuilder capitals = new StringBuilder(word);
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            if (c >= 'a' && c <= 'z') capitals.setCharAt(i, (char) (c - 'a' + 'A'));
        }
        return capitals.toString();
    }

    private boolean isDigit(int i) {
        return i < text.length() && text.charAt(i) >= '0' && text.charAt(i) <= '9';
    }

    /** Moves over white space or a comment, if there is one. */
    boolean between() {
        if (Character.isWhitespace(text.charAt(at))) at++;
        else if (text.startsWith("--", at)) line();
        else if (text.startsWith("/*", at)) comment();
        else return false;
        return true;
    }

    /** Moves over a string, a quoted name or a dollar quote, or else over one character. */
    void skip() {
        char c = text.charAt(at);
        if (c == '\'') string(!plainBackslashes);
        else if (c == '"') quotedName();
        else if (c == '$') dollar();
        else at++;
    }

    /** A string whose quote is here, with what continues it on further lines. */
    private void string(boolean backslashes) {
        do {
            at++;
            while (at < text.length() && text.charAt(at) != '\'') at += backslashes && text.charAt(at) == '\\' ? 2 : 1;
            at++;
        } while (at < text.length() && (text.charAt(at) == '\'' || continues()));
        at = Math.min(at, text.length());
    }

    /** Returns whether the string that has just ended goes on behind a line break; then moves there. */
    private boolean continues() {
        int i = at;
        boolean broken = false;
        while (i < text.length() && text.charAt(i) != '\'') {
            if (text.startsWith("--", i)) {
                while (i < text.length() && !isBreak(i)) i++;
            } else if (Character.isWhitespace(text.charAt(i))) {
                broken |= isBreak(i);
                i++;
            } else {
                return false;
            }
        }
        if (!broken || i >= text.length()) return false;
        at = i;
        return true;
    }

    private boolean isBreak(int i) {
        return text.charAt(i) == '\n' || text.charAt(i) == '\r';
    }

    private void quotedName() {
        int close = text.indexOf('"', at + 1);
        at = close < 0 ? text.length() : close + 1;
    }

    /** A dollar-quoted string, a parameter, or a dollar that is nothing. */
    private void dollar() {
        int i = at + 1;
        if (!isDigit(i)) while (i < text.length() && (isNameStart(text.charAt(i)) || isDigit(i))) i++;
        if (i >= text.length() || text.charAt(i) != '$') {
            at++;
            return;
        }
        String mark = text.substring(at, i + 1);
        int close = text.indexOf(mark, i + 1);
        at = close < 0 ? text.length() : close + mark.length();
    }

    private void line() {
        while (at < text.length() && !isBreak(at)) at++;
    }

    private void comment() {
        int depth = 0;
        do {
            boolean opens = text.startsWith("/*", at);
            boolean closes = text.startsWith("*/", at);
            if (opens) depth++;
            if (closes) depth--;
            at += opens || closes ? 2 : 1;
        } while (depth > 0 && at < text.length());
    }
}
