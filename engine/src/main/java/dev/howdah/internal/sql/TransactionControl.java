package dev.howdah.internal.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds statements that would end the transaction they run in: BEGIN, START TRANSACTION, COMMIT, END, ROLLBACK, ABORT,
 * PREPARE TRANSACTION and their variants; not SAVEPOINT, RELEASE and ROLLBACK TO. Reads a text as PostgreSQL's scanner
 * does: strings of all kinds, quoted names, dollar quotes, nested comments, parentheses, and bodies in BEGIN ATOMIC hide
 * what is in them. For one text and one thread.
 */
public final class TransactionControl {
    private static final Set<String> ALWAYS = Set.of("BEGIN", "COMMIT", "END", "ABORT");

    /** More words of a statement need not be remembered. */
    private static final int HEAD = 4;

    private final SqlScanner scanner;

    private TransactionControl(String text, boolean plainBackslashes) {
        this.scanner = new SqlScanner(text, plainBackslashes);
    }

    /**
     * The first statement that would end the transaction, as its first words; null if there is none.
     *
     * @param plainBackslashes whether a backslash is an ordinary character in a plain string
     *     ({@code standard_conforming_strings})
     */
    public static @Nullable String find(String text, boolean plainBackslashes) {
        return new TransactionControl(text, plainBackslashes).find();
    }

    private @Nullable String find() {
        List<String> head = new ArrayList<>();
        String before = "";
        int parentheses = 0;
        int bodies = 0;
        while (!scanner.isAtEnd()) {
            char c = scanner.next();
            if (scanner.between()) continue;
            String word = scanner.isAtName() ? scanner.word() : null;
            if (word != null) {
                if (head.size() < HEAD) head.add(word);
                bodies += bodies(head.get(0), before, word, bodies);
            } else if (c == ';' && parentheses == 0 && bodies == 0) {
                if (endsTransaction(head)) break;
                head.clear();
                scanner.skip();
            } else if (c == '(' || c == ')') {
                parentheses = Math.max(0, parentheses + (c == '(' ? 1 : -1));
                scanner.skip();
            } else if (!SqlScanner.isNameStart(c)) {
                scanner.skip();
            }
            before = word == null ? "" : word;
        }
        return endsTransaction(head) ? String.join(" ", head) : null;
    }

    /** How many more bodies are open after this word: BEGIN ATOMIC ... END, and CASE ... END in them. */
    private static int bodies(String first, String before, String word, int open) {
        if (open > 0 && word.equals("CASE")) return 1;
        if (open > 0 && word.equals("END")) return -1;
        return open == 0 && first.equals("CREATE") && before.equals("BEGIN") && word.equals("ATOMIC") ? 1 : 0;
    }

    private static boolean endsTransaction(List<String> head) {
        if (head.isEmpty()) return false;
        String second = head.size() > 1 ? head.get(1) : "";
        String third = head.size() > 2 ? head.get(2) : "";
        return switch (head.get(0)) {
            case "ROLLBACK" ->
                !second.equals("TO")
                        && !(third.equals("TO") && (second.equals("WORK") || second.equals("TRANSACTION")));
            case "START" -> second.equals("TRANSACTION");
            case "PREPARE" -> second.equals("TRANSACTION") && !third.equals("AS"); // a name like any other
            default -> ALWAYS.contains(head.get(0));
        };
    }
}
