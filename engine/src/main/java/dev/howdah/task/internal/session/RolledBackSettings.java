package dev.howdah.task.internal.session;

import dev.howdah.internal.sql.SqlDialect;
import dev.howdah.internal.sql.SqlStatement;
import dev.howdah.internal.sql.TransactionControl;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The settings about the form of errors that a text had made when one of its statements failed. Their transaction is
 * undone before they can be read, but the error is to look as they say: so they are
 * made once more, in a transaction that is rolled back.
 */
public final class RolledBackSettings {
    private static final Pattern NAMES =
            Pattern.compile("log_error_verbosity|log_min_error_statement", Pattern.CASE_INSENSITIVE);

    private RolledBackSettings() {}

    /**
     * Statements that make the settings again, each with a semicolon behind it; empty if there were none.
     *
     * @param completed how many statements of the text had ended well
     */
    public static String of(String text, int completed) {
        if (completed == 0 || !NAMES.matcher(text).find()) return "";
        List<String> open = new ArrayList<>();
        List<SqlStatement> all = SqlStatement.in(text, SqlDialect.POSTGRES);
        for (SqlStatement statement : all.subList(0, Math.min(completed, all.size()))) {
            if (sets(statement)) open.add(statement.text());
            else if (ends(statement)) open.clear();
        }
        StringBuilder again = new StringBuilder();
        // A comment at the end of the line does not swallow the semicolon.
        for (String statement : open) again.append(statement).append("\n;");
        return again.toString();
    }

    private static boolean sets(SqlStatement statement) {
        return switch (statement.word(0)) {
            case "SET", "RESET" ->
                statement.word(1).equals("ALL")
                        || NAMES.matcher(statement.text()).find();
            case "SAVEPOINT", "RELEASE" -> true;
            default -> TransactionControl.goesBack(statement);
        };
    }

    private static boolean ends(SqlStatement statement) {
        String begins = statement.word(0);
        return TransactionControl.endsTransaction(statement) && !begins.equals("BEGIN") && !begins.equals("START");
    }
}
