package dev.howdah.internal.sql;

/**
 * Takes SQL text apart into tokens where PostgreSQL's scanner does, white space and comments included: each character is in
 * one token. Text that the server refuses has tokens as well; the last one may be {@linkplain #isUnfinished unfinished}. For
 * one text and one thread.
 */
public final class SqlScanner {
    private static final String OPERATORS = "~!@#^&|`?+-*/%<>=";
    /** An operator with one of them may end with + or -. */
    private static final String ENDING_IN_A_SIGN = "~!@#^&|`?%";

    /** What a token is. */
    public enum Kind {
        SPACE,
        COMMENT,
        /** A key word or a name without quotes. */
        WORD,
        /** A name in quotes. */
        NAME,
        /** A literal in quotes of any kind, with the lines that continue it. */
        STRING,
        NUMBER,
        /** Such as $1. */
        PARAMETER,
        OPERATOR,
        /** One of the other signs, such as a semicolon. */
        SIGN
    }

    private final String text;
    private final SqlDialect dialect;
    private Kind kind = Kind.SPACE;
    private int begin;
    private int at;
    private boolean unfinished;

    public SqlScanner(String text, SqlDialect dialect) {
        this.text = text;
        this.dialect = dialect;
    }

    /** Moves to the next token, if there is one. */
    public boolean next() {
        begin = at;
        if (at == text.length()) return false;
        kind = scan(text.charAt(at));
        return true;
    }

    public Kind kind() {
        return kind;
    }

    /** Where the token begins. */
    public int begin() {
        return begin;
    }

    /** The place behind the token. */
    public int end() {
        return at;
    }

    /** The text of the token. */
    public String token() {
        return text.substring(begin, at);
    }

    /** Whether the token is that sign. */
    public boolean is(char sign) {
        return kind == Kind.SIGN && at == begin + 1 && text.charAt(begin) == sign;
    }

    /** Whether the token is white space or a comment. */
    public boolean isBetween() {
        return kind == Kind.SPACE || kind == Kind.COMMENT;
    }

    /** Whether the text ends before the token does. */
    public boolean isUnfinished() {
        return unfinished;
    }

    /** The token in capitals: only of a to z, as for the server; to Java an dotless i were an I, too. */
    String capitals() {
        StringBuilder capitals = new StringBuilder(token());
        for (int i = 0; i < capitals.length(); i++) {
            char c = capitals.charAt(i);
            if (c >= 'a' && c <= 'z') capitals.setCharAt(i, (char) (c - 'a' + 'A'));
        }
        return capitals.toString();
    }

    private Kind scan(char c) {
        if (isSpace(at)) {
            while (isSpace(at)) at++;
            return Kind.SPACE;
        }
        if (text.startsWith("--", at) || c == '#' && dialect == SqlDialect.MYSQL) return line();
        if (text.startsWith("/*", at)) return comment();
        if (isNameStart(at)) return word();
        if (isDigit(at) || c == '.' && isDigit(at + 1)) return number();
        return switch (c) {
            case '\'' -> string(dialect.hasBackslashes());
            case '"' -> quoted('"', dialect == SqlDialect.MYSQL, Kind.NAME);
            case '$' -> dollar();
            case '`' -> dialect.isPostgres() ? operator() : quoted('`', false, Kind.NAME);
            default -> OPERATORS.indexOf(c) < 0 ? sign() : operator();
        };
    }

    private Kind line() {
        while (at < text.length() && !isBreak(at)) at++;
        return Kind.COMMENT;
    }

    private Kind comment() {
        int depth = 0;
        do {
            boolean opens = text.startsWith("/*", at) && (depth == 0 || dialect.isPostgres());
            boolean closes = text.startsWith("*/", at);
            if (opens) depth++;
            if (closes) depth--;
            at += opens || closes ? 2 : 1;
        } while (depth > 0 && at < text.length());
        unfinished = depth > 0;
        return Kind.COMMENT;
    }

    /** A word, or a literal or a name that begins with a letter. */
    private Kind word() {
        while (isNameStart(at) || isDigit(at) || isAt('$', at)) at++;
        if (!dialect.isPostgres() || at > begin + 1) return Kind.WORD;
        char letter = Character.toUpperCase(text.charAt(begin));
        if (letter == 'U' && isAt('&', at) && (isAt('\'', at + 1) || isAt('"', at + 1)))
            return isAt('"', ++at) ? quoted('"', false, Kind.NAME) : string(false);
        if (!isAt('\'', at)) return Kind.WORD;
        return switch (letter) {
            case 'E' -> string(true);
            case 'B', 'X' -> bits();
            default -> Kind.WORD; // to the server N'...' is a word and a plain string
        };
    }

    private Kind number() {
        boolean based = isAt('0', at) && at + 1 < text.length() && "xXoObB".indexOf(text.charAt(at + 1)) >= 0;
        if (based && isHexDigit(at + 2)) {
            at += 2;
            while (isHexDigit(at) || isAt('_', at) && isHexDigit(at + 1)) at++;
            return Kind.NUMBER;
        }
        digits();
        if (isAt('.', at) && !isAt('.', at + 1)) {
            at++;
            digits();
        }
        if (isAt('e', at) || isAt('E', at)) {
            int exponent = isAt('+', at + 1) || isAt('-', at + 1) ? at + 2 : at + 1;
            if (isDigit(exponent)) {
                at = exponent;
                digits();
            }
        }
        return Kind.NUMBER;
    }

    private void digits() {
        while (isDigit(at) || isAt('_', at) && at > begin && isDigit(at + 1)) at++;
    }

    /** A string whose quote is here, with what continues it on further lines. */
    private Kind string(boolean backslashes) {
        do quoted('\'', backslashes, Kind.STRING);
        while (!unfinished && dialect.isPostgres() && continues());
        return Kind.STRING;
    }

    /** Digits have no quote among them: after a doubled one another string begins. */
    private Kind bits() {
        do {
            int close = text.indexOf('\'', at + 1);
            unfinished = close < 0;
            at = unfinished ? text.length() : close + 1;
        } while (!unfinished && !isAt('\'', at) && continues());
        return Kind.STRING;
    }

    /** What is between two marks, of which the first is here; a doubled one is a character of it. */
    private Kind quoted(char mark, boolean backslashes, Kind result) {
        do {
            at++;
            while (at < text.length() && text.charAt(at) != mark) at += backslashes && text.charAt(at) == '\\' ? 2 : 1;
            at++;
        } while (isAt(mark, at));
        unfinished = at > text.length();
        at = Math.min(at, text.length());
        return result;
    }

    /** Returns whether the string that has just ended goes on behind a line break; then moves there. */
    private boolean continues() {
        int i = at;
        boolean broken = false;
        while (i < text.length() && text.charAt(i) != '\'') {
            if (text.startsWith("--", i)) {
                while (i < text.length() && !isBreak(i)) i++;
            } else if (isSpace(i)) {
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

    /** A dollar-quoted string, a parameter, or a dollar that is nothing. */
    private Kind dollar() {
        at++;
        if (isDigit(at)) {
            while (isDigit(at)) at++;
            return Kind.PARAMETER;
        }
        int i = at;
        while (isNameStart(i) || isDigit(i)) i++;
        if (!isAt('$', i)) return Kind.SIGN;
        String mark = text.substring(begin, i + 1);
        int close = text.indexOf(mark, i + 1);
        unfinished = close < 0;
        at = unfinished ? text.length() : close + mark.length();
        return Kind.STRING;
    }

    /** Ends where a comment begins; without certain characters in front a sign at the end is a token of its own. */
    private Kind operator() {
        at++;
        if (!dialect.isPostgres()) return Kind.OPERATOR;
        boolean signed = ENDING_IN_A_SIGN.indexOf(text.charAt(begin)) >= 0;
        while (at < text.length()
                && OPERATORS.indexOf(text.charAt(at)) >= 0
                && !text.startsWith("--", at)
                && !text.startsWith("/*", at)) signed |= ENDING_IN_A_SIGN.indexOf(text.charAt(at++)) >= 0;
        while (!signed && at > begin + 1 && (isAt('+', at - 1) || isAt('-', at - 1))) at--;
        return Kind.OPERATOR;
    }

    private Kind sign() {
        boolean two = text.startsWith("::", at) || text.startsWith(":=", at) || text.startsWith("..", at);
        at += two ? 2 : 1;
        return Kind.SIGN;
    }

    private boolean isAt(char c, int i) {
        return i < text.length() && text.charAt(i) == c;
    }

    private boolean isSpace(int i) {
        return i < text.length() && " \t\n\r\f\u000b".indexOf(text.charAt(i)) >= 0;
    }

    private boolean isBreak(int i) {
        return text.charAt(i) == '\n' || text.charAt(i) == '\r';
    }

    private boolean isNameStart(int i) {
        if (i >= text.length()) return false;
        char c = text.charAt(i);
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80;
    }

    private boolean isHexDigit(int i) {
        return i < text.length() && text.charAt(i) < 0x80 && Character.digit(text.charAt(i), 16) >= 0;
    }

    private boolean isDigit(int i) {
        return i < text.length() && text.charAt(i) >= '0' && text.charAt(i) <= '9';
    }
}
