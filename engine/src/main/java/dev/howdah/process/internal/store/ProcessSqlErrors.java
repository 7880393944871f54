package dev.howdah.process.internal.store;

import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Which failures of the database pass by themselves, and what the others mean. */
public final class ProcessSqlErrors {
    private static final Pattern EVENT = Pattern.compile("\\(\\d+, (\\d+)\\)");

    private ProcessSqlErrors() {}

    /** Whether the session is gone. */
    public static boolean isLost(SQLException e) {
        String state = e.getSQLState();
        return state == null || state.startsWith("08") || state.startsWith("57P");
    }

    /** Whether the same may go well another time: sessions, resources, deadlocks, servers that start or only read. */
    public static boolean isPassing(SQLException e) {
        String state = e.getSQLState();
        return isLost(e)
                || state.startsWith("53")
                || state.startsWith("40")
                || state.startsWith("57")
                || state.startsWith("58")
                || state.equals("25006")
                || state.equals("55P03");
    }

    /** For people, in a line. */
    public static String clear(SQLException e) {
        ServerErrorMessage said = e instanceof PSQLException of ? of.getServerErrorMessage() : null;
        if (said == null) return String.valueOf(e.getMessage());
        String detail = said.getDetail();
        if ("process_event_pkey".equals(said.getConstraint()) && detail != null) {
            Matcher event = EVENT.matcher(detail);
            if (event.find()) return "event " + event.group(1) + " exists already";
        }
        String why = detail == null || !"22".equals(e.getSQLState().substring(0, 2)) ? "" : ": " + detail;
        return (said.getMessage() + why).replace('\n', ' ');
    }
}
