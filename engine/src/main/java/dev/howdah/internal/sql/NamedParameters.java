package dev.howdah.internal.sql;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A statement of a file whose parameters have names ({@code :node}), as psql takes it, or numbers. Immutable.
 *
 * @param text with numbers in place of the names, and without line comments, indentation and empty lines outside of literals: some
 *     statements are sent with each use
 * @param names of the parameters, in the order of their numbers; empty if they have numbers in the file
 * @param isOrdered whether the file says the order, so that values can be given one after the other
 */
record NamedParameters(String text, List<String> names, boolean isOrdered) {
    NamedParameters {
        names = List.copyOf(names);
    }

    /**
     * Numbers the parameters; what is in strings, quoted names and comments is none, nor are a cast ({@code ::text}) and a colon that a
     * space follows.
     *
     * @param where the file and the statement, for messages
     * @param order the names that the heading gives; empty: in the order in which the text has them
     * @throws IllegalArgumentException if the text has other names than the heading, or both names and numbers
     */
    static NamedParameters in(String where, String text, List<String> order) {
        StringBuilder out = new StringBuilder(text.length());
        Set<String> found = new LinkedHashSet<>();
        List<String> names = new ArrayList<>(order);
        boolean numbered = false;
        boolean colon = false;
        SqlScanner scanner = new SqlScanner(text, SqlDialect.POSTGRES);
        while (scanner.next()) {
            String token = scanner.token();
            SqlScanner.Kind kind = scanner.kind();
            boolean space = kind == SqlScanner.Kind.SPACE;
            numbered |= kind == SqlScanner.Kind.PARAMETER;
            if (colon && kind == SqlScanner.Kind.WORD) {
                found.add(token);
                if (!names.contains(token)) names.add(token);
                out.setCharAt(out.length() - 1, '$');
                out.append(names.indexOf(token) + 1);
            } else if (kind == SqlScanner.Kind.COMMENT && token.startsWith("--") || space && token.contains("\n")) {
                stripTrailing(out);
                out.append('\n');
            } else if (!space || !out.isEmpty() && out.charAt(out.length() - 1) != '\n') {
                out.append(token);
            }
            colon = scanner.is(':');
        }
        if (!found.isEmpty() && numbered)
            throw new IllegalArgumentException(where + " has parameters with names and with numbers");
        if (names.size() != found.size() || !order.isEmpty() && names.size() != order.size())
            throw new IllegalArgumentException(where + " has the parameters " + found + ", and its heading " + order);
        return new NamedParameters(ended(out), names, !order.isEmpty() || names.size() < 2);
    }

    private static String ended(StringBuilder out) {
        String text = out.toString().strip();
        return text.endsWith(";") ? text.substring(0, text.length() - 1).stripTrailing() : text;
    }

    private static void stripTrailing(StringBuilder text) {
        while (!text.isEmpty() && Character.isWhitespace(text.charAt(text.length() - 1)))
            text.setLength(text.length() - 1);
    }
}
