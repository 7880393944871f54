package dev.howdah.failover;

import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** An advisory lock for which tasks wait until it is released. */
final class Gate implements AutoCloseable {
    private final Connection connection;

    private Gate(Connection connection) {
        this.connection = connection;
    }

    /** Takes that lock. */
    static Gate close(TestDatabase database, long lock) throws SQLException {
        Connection connection = database.connect();
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(" + lock + ")");
        }
        return new Gate(connection);
    }

    /** Releases the lock. */
    void open() throws SQLException {
        close();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
