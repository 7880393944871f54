package dev.howdah.internal.conninfo;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.ds.common.BaseDataSource;

/**
 * Deadlines for each host of a URL, for the start-up as well. Without {@code socketTimeout} pgjdbc waits without end for a host
 * that takes the TCP connection and says nothing, as a frozen server does, and never reaches the next host; {@code
 * loginTimeout} is one deadline for all hosts, which the first one uses up.
 */
public final class HostDeadlines {
    private static final int STARTUP_SECONDS = 10;

    private HostDeadlines() {}

    /** A copy that waits 10 s at most for a host to be reached, and for each of its answers, unless it has limits of its own. */
    static PGSimpleDataSource copy(BaseDataSource source) throws SQLException {
        PGSimpleDataSource copy = new PGSimpleDataSource();
        try {
            copy.initializeFrom(source);
        } catch (IOException | ClassNotFoundException e) {
            throw new SQLException("the data source cannot be copied: " + e.getMessage(), e);
        }
        if (copy.getConnectTimeout() <= 0) copy.setConnectTimeout(STARTUP_SECONDS);
        if (copy.getSocketTimeout() <= 0) copy.setSocketTimeout(STARTUP_SECONDS);
        int hosts = copy.getServerNames().length;
        int all = hosts * (copy.getConnectTimeout() + copy.getSocketTimeout());
        if (hosts > 1 && copy.getLoginTimeout() > 0) copy.setLoginTimeout(Math.max(copy.getLoginTimeout(), all));
        return copy;
    }

    /** A connection of that data source; of one of pgjdbc that is no pool, within these deadlines. */
    public static Connection connect(DataSource source) throws SQLException {
        // Exactly this class: one that extends it may do more.
        if (source.getClass() != PGSimpleDataSource.class) return source.getConnection();
        PGSimpleDataSource own = (PGSimpleDataSource) source;
        Connection connection = copy(own).getConnection();
        try {
            connection.setNetworkTimeout(Runnable::run, Math.max(own.getSocketTimeout(), 0) * 1_000);
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }
}
