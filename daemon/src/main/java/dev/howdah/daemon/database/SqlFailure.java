package dev.howdah.daemon.database;

import dev.howdah.daemon.console.CliException;
import dev.howdah.internal.text.Identifiers;
import java.sql.SQLException;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Errors of the database in one line. */
public final class SqlFailure {
    private SqlFailure() {}

    /** What the failure of a statement on the table of tasks means for a person. */
    public static CliException ofTasks(SQLException e, CommandTarget target) {
        String state = Objects.requireNonNullElse(e.getSQLState(), "");
        if (state.equals("42P01") || state.equals("3F000"))
            return CliException.failed("there is no table " + target.schema() + "." + target.table() + " in "
                    + target.database().describe() + ": \"howdah up\" makes it; --schema and --table name another one");
        if (state.equals("42501")) return CliException.failed(line(e) + grants(target), e);
        ServerErrorMessage said = e instanceof PSQLException failed ? failed.getServerErrorMessage() : null;
        String check = said == null ? null : violated(said.getConstraint(), target.table());
        return check == null ? of(e, target) : CliException.failed(check, e);
    }

    /** What a check of the table of tasks asks for; null where it is none that Howdah makes. */
    private static @Nullable String violated(@Nullable String constraint, String table) {
        if (constraint == null || !constraint.startsWith(table + "_")) return null;
        return switch (constraint.substring(table.length() + 1)) {
            case "active_check" -> "active has to be more than 0: how long after its plan the task may still start";
            case "live_check" -> "live has to be 0 or more";
            case "repeat_check" -> "repeat has to be 0 (never) or more";
            case "timeout_check" -> "timeout has to be 0 (none) or more";
            case "count_check" -> "count has to be 0 or more";
            case "notify_check" -> "notify takes the name of a channel, of 1 to 63 bytes";
            case "cron_check" ->
                "cron takes five fields (minute, hour, day of month, month, day of week), six with seconds"
                        + " in front, or a name such as @daily";
            case "cron_or_repeat_check" -> "a task has a cron or a repeat, not both";
            case "attempts_check" -> "attempts has to be 1 or more: how many runs it may take in all";
            case "backoff_check" -> "backoff has to be 0 or more";
            case "duration_check" -> "duration has to be more than 0: how long all of the task may take";
            case "after_check" -> "after takes ids of tasks, none of them NULL";
            default -> null;
        };
    }

    private static String grants(CommandTarget target) {
        String table = Identifiers.quote(target.schema(), target.table());
        String to = " TO " + Identifiers.quote(target.database().user());
        return "; the owner of the table allows it by: GRANT USAGE ON SCHEMA " + Identifiers.quote(target.schema()) + to
                + "; GRANT SELECT ON " + table + to + " (to read tasks); GRANT INSERT ON " + table + to
                + " (to add tasks); GRANT USAGE ON SEQUENCE "
                + Identifiers.quote(target.schema(), target.table() + "_id_seq") + to;
    }

    /** There are no tables of processes. */
    public static CliException noProcesses(CommandTarget target) {
        return CliException.failed(
                "there are no processes in " + target.database().describe()
                        + ": a program that uses the library makes their tables, or \"howdah up --processes\","
                        + " or \"howdah process install\"");
    }

    /** What the failure of a statement on the tables of processes means for a person. */
    public static CliException ofProcesses(SQLException e, CommandTarget target) {
        String state = Objects.requireNonNullElse(e.getSQLState(), "");
        return state.equals("42P01") || state.equals("3F000") ? noProcesses(target) : of(e, target);
    }

    /** What the failure of a statement means for a person. */
    public static CliException of(SQLException e, CommandTarget target) {
        String state = Objects.requireNonNullElse(e.getSQLState(), "");
        String message = line(e);
        if (state.startsWith("08") || state.startsWith("28") || state.equals("3D000") || state.startsWith("57P"))
            return CliException.failed("cannot use " + target.database().describe() + ": " + message, e);
        return CliException.failed(message, e);
    }

    /** The server's message, detail and hint, without the place in a statement or a function that is not the user's. */
    public static String line(SQLException e) {
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
