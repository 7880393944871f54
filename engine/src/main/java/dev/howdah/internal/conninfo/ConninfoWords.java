package dev.howdah.internal.conninfo;

import dev.howdah.DatabaseAddressException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;

/** The form {@code host=localhost user='a b'}: words with a value each, quoted by {@code '} and {@code \}. */
final class ConninfoWords {
    private final String text;
    private int at;
    /** The option just read, if it holds a secret that stood without quotes: what follows may be the rest of it. */
    private String unquotedSecret = "";

    private ConninfoWords(String text) {
        this.text = text;
    }

    /** The words in their order, duplicates included. */
    static List<Entry<String, String>> parse(String text) {
        return new ConninfoWords(text).words();
    }

    private List<Entry<String, String>> words() {
        List<Entry<String, String>> words = new ArrayList<>();
        for (skipBlanks(); at < text.length(); skipBlanks()) {
            String keyword = keyword();
            words.add(Map.entry(keyword, value(keyword)));
        }
        return words;
    }

    private String keyword() {
        int start = at;
        while (at < text.length() && text.charAt(at) != '=' && !isBlank(text.charAt(at))) at++;
        String keyword = text.substring(start, at);
        skipBlanks();
        boolean hasValue = at < text.length() && text.charAt(at) == '=';
        if (!unquotedSecret.isEmpty() && !(hasValue && Keyword.isKnown(keyword)))
            throw new DatabaseAddressException("cannot read what follows the value of \"" + unquotedSecret
                    + "\" in connection info string (a value with blanks has to stand in single quotes)");
        if (!hasValue)
            throw new DatabaseAddressException("missing \"=\" after \"" + keyword + "\" in connection info string");
        at++;
        return keyword;
    }

    private String value(String keyword) {
        skipBlanks();
        boolean quoted = at < text.length() && text.charAt(at) == '\'';
        unquotedSecret = Keyword.isSecret(keyword) && !quoted ? keyword : "";
        if (quoted) at++;
        StringBuilder value = new StringBuilder();
        for (; at < text.length(); at++) {
            char c = text.charAt(at);
            if (quoted && c == '\'') {
                at++;
                return value.toString();
            }
            if (!quoted && isBlank(c)) break;
            if (c == '\\' && ++at == text.length()) break;
            value.append(text.charAt(at));
        }
        if (quoted) throw new DatabaseAddressException("unterminated quoted string in connection info string");
        return value.toString();
    }

    private void skipBlanks() {
        while (at < text.length() && isBlank(text.charAt(at))) at++;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }
}
