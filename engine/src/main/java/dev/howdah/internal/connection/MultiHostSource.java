package dev.howdah.internal.connection;

import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.util.HostSpec;

/** A data source of one or several hosts that can begin with any of them. */
public interface MultiHostSource {
    /**
     * A connection of that host, or of another one where that one gives none.
     *
     * @param first one of its hosts; others are ignored
     * @throws SQLException if no host gives a connection
     */
    Connection getConnection(HostSpec first) throws SQLException;
}
