package dev.howdah.internal.health;

import java.sql.Connection;
import java.sql.SQLException;

/** A transaction of a connection of its own that leaves nothing behind. Without state. */
final class RolledBackTransaction {
    /** What is done in it. */
    interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    private RolledBackTransaction() {}

    /** Opens a connection, does that in a transaction, rolls back, and closes the connection as it was. */
    static <T> T run(HealthReader.Opener opener, Work<T> work) throws SQLException {
        try (Connection connection = opener.open()) {
            boolean before = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                return work.with(connection);
            } finally {
                connection.rollback();
                connection.setAutoCommit(before);
            }
        }
    }
}
