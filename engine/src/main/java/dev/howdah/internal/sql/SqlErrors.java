package dev.howdah.internal.sql;

import java.sql.SQLException;

/**
 * Classifies errors by SQLSTATE, for all features. The codes are those of the appendix "PostgreSQL Error Codes" of its
 * manual.
 */
public final class SqlErrors {
    /** Of a transaction that is to be repeated as a whole. */
    public static final String SERIALIZATION_FAILURE = "40001";

    private SqlErrors() {}

    /** The session has ended, or the server has; another session may do. An error without a code is one of the driver. */
    public static boolean isConnectionLost(SQLException e) {
        return e.getSQLState() == null
                || isOf(e, "08")
                || isOf(e, "57P")
                || is(e, "25P03") // idle_in_transaction_session_timeout
                || is(e, "25P04"); // transaction_timeout
    }

    /** A session that there was has ended; that there is none to be had is another error. */
    public static boolean isSessionEnded(SQLException e) {
        return is(e, "08006") || is(e, "08003") || is(e, "57P01") || is(e, "57P02");
    }

    /** Another transaction is in the way; the same may work later. */
    public static boolean isConflict(SQLException e) {
        return isLockNotAvailable(e) || isSerializationFailure(e) || isDeadlock(e);
    }

    /** Of REPEATABLE READ and SERIALIZABLE: the transaction is to be repeated as a whole. */
    public static boolean isSerializationFailure(SQLException e) {
        return is(e, SERIALIZATION_FAILURE);
    }

    /** The lock was not free, or not in time. */
    public static boolean isLockNotAvailable(SQLException e) {
        return is(e, "55P03");
    }

    public static boolean isDeadlock(SQLException e) {
        return is(e, "40P01");
    }

    /** Cancelled by a user, or by {@code statement_timeout}. */
    public static boolean isCanceled(SQLException e) {
        return is(e, "57014");
    }

    /** The server has too little of something: connections, memory, disk. */
    public static boolean isOutOfResources(SQLException e) {
        return isOf(e, "53");
    }

    /** Out of shared memory: the table of locks is full. */
    public static boolean isOutOfMemory(SQLException e) {
        return is(e, "53200");
    }

    /** An error outside of PostgreSQL, such as one of the file system. */
    public static boolean isSystemError(SQLException e) {
        return isOf(e, "58");
    }

    /** The server only reads: it has become a standby, or is one. */
    public static boolean isReadOnly(SQLException e) {
        return is(e, "25006");
    }

    public static boolean isInsufficientPrivilege(SQLException e) {
        return is(e, "42501");
    }

    public static boolean isUniqueViolation(SQLException e) {
        return is(e, "23505");
    }

    public static boolean isNotNullViolation(SQLException e) {
        return is(e, "23502");
    }

    /** A value cannot be read or converted, such as text that is no JSON. */
    public static boolean isBadData(SQLException e) {
        return isOf(e, "22");
    }

    /** Text that the encoding of the database does not have. */
    public static boolean isUntranslatable(SQLException e) {
        return is(e, "22021") || is(e, "22P05");
    }

    /** Class 40: the server has rolled the transaction back. */
    public static boolean isRollback(SQLException e) {
        return isOf(e, "40");
    }

    /** Class 57: an administrator, a shutdown, or a cancel. */
    public static boolean isOperatorIntervention(SQLException e) {
        return isOf(e, "57");
    }

    private static boolean is(SQLException e, String state) {
        return state.equals(e.getSQLState());
    }

    private static boolean isOf(SQLException e, String stateClass) {
        return e.getSQLState() != null && e.getSQLState().startsWith(stateClass);
    }
}
