package dev.howdah.daemon;

import dev.howdah.internal.sql.Identifiers;
import java.sql.SQLException;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Errors of the database in one line. */
final class SqlFailure {
    private SqlFailure() {}

    /** What the failure of a statement on the table of tasks means for a person. */
    static Failure ofTasks(SQLException e, Target target) {
        String state = Objects.requireNonNullElse(e.getSQLState(), "");
        if (state.equals("42P01") || state.equals("3F000"))
            return Failure.failed("there is no table " + target.schema() + "." + target.table() + " in "
                    + target.database().describe() + ": \"howdah up\" makes it; --schema and --table name another one");
        if (state.equals("42501")) return Failure.failed(line(e) + grants(target), e);
        return of(e, target);
    }

    private static String grants(Target target) {
        String table = Identifiers.quote(target.schema(), target.table());
        String to = " TO " + Identifiers.quote(target.database().user());
        return "; the owner of the table allows it by: GRANT USAGE ON SCHEMA " + Identifiers.quote(target.schema()) + to
                + "; GRANT SELECT ON " + table + to + " (to read tasks); GRANT INSERT ON " + table + to
                + " (to add tasks); GRANT USAGE ON SEQUENCE "
                + Identifiers.quote(target.schema(), target.table() + "_id_seq") + to;
    }

    /** What the failure of a statement means for a person. */
    static Failure of(SQLException e, Target target) {
        String state = Objects.requireNonNullElse(e.getSQLState(), "");
        String message = line(e);
        if (state.startsWith("08") || state.startsWith("28") || state.equals("3D000") || state.startsWith("57P"))
            return Failure.failed("cannot use " + target.database().describe() + ": " + message, e);
        return Failure.failed(message, e);
    }

    /** The server's message, detail and hint, without the place in a statement or a function that is not the user's. */
    static String line(SQLException e) {
        ServerErrorMessage said = e instanceof PSQLException failed ? failed.getServerErrorMessage() : null;
        if (said != null && said.getMessage() != null)
            return Stream.of(
                            said.getMessage(),
                            labelled("Detail: ", said.getDetail()),
                            labelled("Hint: ", said.getHint()))
                    .flatMap(String::lines)
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .collect(Collectors.joining("; "));
        return Objects.requireNonNullElse(e.getMessage(), e.toString())
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("Position: ") && !line.startsWith("Where: "))
                .map(line -> line.replaceFirst("^(ERROR|FATAL): ", ""))
                .collect(Collectors.joining("; "));
    }

    private static String labelled(String label, @Nullable String text) {
        return text == null ? "" : label + text;
    }
}
