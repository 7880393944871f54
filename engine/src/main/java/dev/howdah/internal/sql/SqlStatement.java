package dev.howdah.internal.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * One statement of a text.
 *
 * @param text without its semicolon
 * @param head its first words, in capitals
 */
public record SqlStatement(String text, List<String> head) {
    /** More words of a statement need not be remembered. */
    private static final int HEAD = 4;

    public SqlStatement {
        head = List.copyOf(head);
    }

    /**
     * Cuts a text where the server's parser cuts it: at semicolons outside of parentheses and of the bodies of SQL functions. In
     * databases other than PostgreSQL each semicolon ends a statement. What holds comments only is none.
     */
    public static List<SqlStatement> in(String text, SqlDialect dialect) {
        Cutting cutting = new Cutting(text, dialect);
        while (cutting.scanner.next()) cutting.token();
        cutting.cut(text.length());
        return cutting.found;
    }

    /** The word at that place of the {@link #head}; empty: there is none. */
    public String word(int index) {
        return index < head.size() ? head.get(index) : "";
    }

    private static final class Cutting {
        private final String text;
        private final SqlScanner scanner;
        private final boolean nests;
        private final List<SqlStatement> found = new ArrayList<>();
        private final List<String> head = new ArrayList<>();
        private int begun;
        private boolean empty = true;
        private int parentheses;
        /** How many of BEGIN ATOMIC and of CASE in such a body are open. */
        private int blocks;

        private String before = "";

        Cutting(String text, SqlDialect dialect) {
            this.text = text;
            this.scanner = new SqlScanner(text, dialect);
            this.nests = dialect.isPostgres();
        }

        void token() {
            if (scanner.isBetween()) return;
            if (scanner.is(';') && parentheses == 0 && blocks == 0) {
                cut(scanner.begin());
                begun = scanner.end();
                return;
            }
            empty = false;
            String word = scanner.kind() == SqlScanner.Kind.WORD ? scanner.capitals() : "";
            if (!word.isEmpty() && head.size() < HEAD) head.add(word);
            if (nests && scanner.is('(')) parentheses++;
            if (scanner.is(')') && parentheses > 0) parentheses--;
            if (nests) blocks += opens(word);
            before = word;
        }

        private int opens(String word) {
            if (blocks > 0) return word.equals("CASE") ? 1 : word.equals("END") ? -1 : 0;
            boolean body = parentheses == 0 && before.equals("BEGIN") && word.equals("ATOMIC");
            return body && head.get(0).equals("CREATE") ? 1 : 0;
        }

        void cut(int end) {
            if (!empty) found.add(new SqlStatement(text.substring(begun, end), head));
            empty = true;
            head.clear();
            before = "";
        }
    }
}
