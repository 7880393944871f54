package dev.howdah.reach.internal.document;

import dev.howdah.reach.internal.call.AnswerText;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import java.sql.SQLException;

/** What a database says about templates and documents, as the error of a task. */
final class DocumentFailures {
    private DocumentFailures() {}

    static ReachFailure of(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        if (state.equals("42P01") || state.equals("3F000"))
            return ReachFailure.lasting(
                    Code.DOCUMENT,
                    "there are no templates and documents in this database",
                    null,
                    "ALTER DATABASE ... SET pg_task.functions = on, and start the program again.");
        String error = "templates and documents cannot be used now";
        String reason = AnswerText.shown(e.getMessage());
        return state.startsWith("42")
                ? ReachFailure.lasting(Code.DOCUMENT, error, reason, null)
                : ReachFailure.passing(Code.INTERNAL, error, reason);
    }
}
