package dev.howdah.internal.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Cuts a text of several statements where the server's parser cuts it: at semicolons outside of strings, quoted names,
 * comments, parentheses and the bodies of SQL functions. Used by one thread.
 */
public final class StatementSplitter {
    private final String text;
    private final List<String> found = new ArrayList<>();
    private int at;
    private int begun;
    private boolean empty = true;
    private int parentheses;
    private int words;
    private boolean makesRoutine;
    private int blocks;

    private StatementSplitter(String text) {
        this.text = text;
    }

    /** The statements, without their semicolons; what holds comments only is none. */
    public static List<String> of(String text) {
        StatementSplitter statements = new StatementSplitter(text);
        while (statements.at < text.length()) statements.step();
        statements.cut();
        return statements.found;
    }

    private void step() {
        char c = text.charAt(at);
        if (Character.isWhitespace(c)) at++;
        else if (text.startsWith("--", at)) at = after("\n", at);
        else if (text.startsWith("/*", at)) skipComment();
        else if (c == ';' && parentheses == 0 && blocks == 0) cut();
        else token(c);
    }

    private void token(char c) {
        empty = false;
        if (c == '\'') skipString(false);
        else if (c == '"') at = after("\"", at + 1);
        else if (c == '$') skipDollar();
        else if (Character.isUnicodeIdentifierStart(c) || c == '_') word();
        else {
            if (c == '(') parentheses++;
            if (c == ')' && parentheses > 0) parentheses--;
            at++;
        }
    }

    /** A word; in the body of an SQL function BEGIN and CASE open a block that END closes. */
    private void word() {
        int from = at;
        while (at < text.length() && isWordPart(text.charAt(at))) at++;
        String word = text.substring(from, at).toLowerCase(Locale.ROOT);
        if (word.equals("e") && at < text.length() && text.charAt(at) == '\'') skipString(true);
        words++;
        if (words == 1) makesRoutine = word.equals("create");
        else if (words == 2 && !word.matches("or|function|procedure")) makesRoutine = false;
        else if (makesRoutine && (word.equals("begin") || blocks > 0 && word.equals("case"))) blocks++;
        else if (blocks > 0 && word.equals("end")) blocks--;
    }

    private static boolean isWordPart(char c) {
        return Character.isUnicodeIdentifierPart(c) || c == '$';
    }

    private void skipString(boolean escapes) {
        at++;
        while (at < text.length() && text.charAt(at) != '\'') at += escapes && text.charAt(at) == '\\' ? 2 : 1;
        at = Math.min(at + 1, text.length());
    }

    private void skipDollar() {
        int close = at + 1;
        while (close < text.length() && Character.isUnicodeIdentifierPart(text.charAt(close))) close++;
        boolean opens = close < text.length()
                && text.charAt(close) == '$'
                && (close == at + 1 || !Character.isDigit(text.charAt(at + 1)));
        at = opens ? after(text.substring(at, close + 1), close + 1) : at + 1;
    }

    /** Comments of this form lie within each other. */
    private void skipComment() {
        int depth = 0;
        do {
            if (text.startsWith("/*", at)) depth++;
            else if (text.startsWith("*/", at)) depth--;
            else {
                at++;
                continue;
            }
            at += 2;
        } while (depth > 0 && at < text.length());
    }

    private int after(String mark, int from) {
        int found = text.indexOf(mark, from);
        return found < 0 ? text.length() : found + mark.length();
    }

    private void cut() {
        if (!empty) found.add(text.substring(begun, at));
        at++;
        begun = at;
        empty = true;
        words = 0;
        makesRoutine = false;
    }
}
