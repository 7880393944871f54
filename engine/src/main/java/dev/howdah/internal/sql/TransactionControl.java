package dev.howdah.internal.sql;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds statements that would end the transaction they run in: BEGIN, START TRANSACTION, COMMIT, END, ROLLBACK, ABORT,
 * PREPARE TRANSACTION and their variants; not SAVEPOINT, RELEASE and ROLLBACK TO.
 */
public final class TransactionControl {
    private static final Set<String> ALWAYS = Set.of("BEGIN", "COMMIT", "END", "ABORT");

    private TransactionControl() {}

    /**
     * The first statement that would end the transaction, as its first words; null if there is none.
     *
     * @param plainBackslashes whether a backslash is an ordinary character in a plain string
     *     ({@code standard_conforming_strings})
     */
    public static @Nullable String find(String text, boolean plainBackslashes) {
        for (SqlStatement each : SqlStatement.in(text, SqlDialect.postgres(plainBackslashes)))
            if (endsTransaction(each)) return String.join(" ", each.head());
        return null;
    }

    /** Whether it is one of these. */
    public static boolean endsTransaction(SqlStatement statement) {
        return switch (statement.word(0)) {
            case "ROLLBACK" -> !goesBack(statement);
            case "START" -> statement.word(1).equals("TRANSACTION");
            case "PREPARE" ->
                statement.word(1).equals("TRANSACTION") && !statement.word(2).equals("AS"); // a name like any other
            default -> ALWAYS.contains(statement.word(0));
        };
    }

    /** Whether it is ROLLBACK TO: what the transaction did since a savepoint is undone. */
    public static boolean goesBack(SqlStatement statement) {
        String second = statement.word(1);
        int at = second.equals("WORK") || second.equals("TRANSACTION") ? 2 : 1;
        return statement.word(0).equals("ROLLBACK") && statement.word(at).equals("TO");
    }
}
