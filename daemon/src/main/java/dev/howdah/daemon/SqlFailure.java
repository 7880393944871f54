package dev.howdah.daemon;

import java.sql.SQLException;
import java.util.Objects;
import java.util.stream.Collectors;

/** Errors of the database in one line. */
final class SqlFailure {
    private SqlFailure() {}

    /** What the failure of a statement on the table of tasks means for a person. */
    static Failure of(SQLException e, Target target) {
        String state = Objects.requireNonNullElse(e.getSQLState(), "");
        String message = line(e);
        String table = target.schema() + "." + target.table();
        if (state.equals("42P01") || state.equals("3F000"))
            return Failure.failed("there is no table " + table + " in "
                    + target.database().describe() + ": \"howdah up\" makes it; --schema and --table name another one");
        if (state.startsWith("08") || state.startsWith("28") || state.equals("3D000") || state.startsWith("57P"))
            return Failure.failed("cannot use " + target.database().describe() + ": " + message, e);
        return Failure.failed(message, e);
    }

    /** The server's message, detail and hint, without the place in a statement that is not the user's. */
    static String line(SQLException e) {
        return Objects.requireNonNullElse(e.getMessage(), e.toString())
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("Position: ") && !line.startsWith("Where: "))
                .map(line -> line.replaceFirst("^(ERROR|FATAL): ", ""))
                .collect(Collectors.joining("; "));
    }
}
