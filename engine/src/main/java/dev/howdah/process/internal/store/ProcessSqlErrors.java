package dev.howdah.process.internal.store;

import dev.howdah.internal.sql.SqlErrors;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Classifies failures of the database: those that pass by themselves, and the texts of the others. */
public final class ProcessSqlErrors {
    private static final Pattern EVENT = Pattern.compile("\\(\\d+, (\\d+)\\)");

    private ProcessSqlErrors() {}

    /** Returns whether the same may go well another time: sessions, resources, deadlocks, servers that start or only read. */
    public static boolean isPassing(SQLException e) {
        return SqlErrors.isConnectionLost(e)
                || SqlErrors.isOutOfResources(e)
                || SqlErrors.isRollback(e)
                || SqlErrors.isOperatorIntervention(e)
                || SqlErrors.isSystemError(e)
                || SqlErrors.isReadOnly(e)
                || SqlErrors.isLockNotAvailable(e);
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
        String why = detail == null || !SqlErrors.isBadData(e) ? "" : ": " + detail;
        return (said.getMessage() + why).replace('\n', ' ');
    }
}
