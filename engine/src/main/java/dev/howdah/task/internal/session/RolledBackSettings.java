package dev.howdah.task.internal.session;

import dev.howdah.internal.sql.StatementSplitter;
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
    private static final Pattern SETS = Pattern.compile(
            lead(
                    "(set|reset)\\s[^;]*(log_error_verbosity|log_min_error_statement)|reset\\s+all\\b|savepoint\\b|release\\b"
                            + "|rollback\\s+((work|transaction)\\s+)?to\\b"),
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern ENDS = Pattern.compile(
            lead("(commit|end|rollback|abort|prepare\\s+transaction)\\b"), Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private RolledBackSettings() {}

    /** Behind any comments. */
    private static String lead(String words) {
        return "(\\s|--[^\\n]*\\n|/\\*([^*]|\\*(?!/))*\\*/)*(" + words + ").*";
    }

    /**
     * Statements that make the settings again, each with a semicolon behind it; empty if there were none.
     *
     * @param completed how many statements of the text had ended well
     */
    public static String of(String text, int completed) {
        if (completed == 0 || !NAMES.matcher(text).find()) return "";
        List<String> open = new ArrayList<>();
        List<String> all = StatementSplitter.of(text);
        for (String statement : all.subList(0, Math.min(completed, all.size()))) {
            if (SETS.matcher(statement).matches()) open.add(statement);
            else if (ENDS.matcher(statement).matches()) open.clear();
        }
        StringBuilder again = new StringBuilder();
        // A comment at the end of the line does not swallow the semicolon.
        for (String statement : open) again.append(statement).append("\n;");
        return again.toString();
    }
}
