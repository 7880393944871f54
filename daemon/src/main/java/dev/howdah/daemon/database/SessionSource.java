package dev.howdah.daemon.database;

import dev.howdah.Database;
import dev.howdah.internal.connection.MultiHostSource;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.postgresql.util.HostSpec;

/** A database as a data source: each connection is a new session. Safe for use by many threads. */
public class SessionSource implements DataSource, MultiHostSource {
    private final Database database;

    public SessionSource(Database database) {
        this.database = database;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return database.connect();
    }

    @Override
    public Connection getConnection(HostSpec first) throws SQLException {
        return database.beginningWith(new Database.HostPort(first.getHost(), first.getPort()))
                .connect();
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the user is " + database.user());
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        throw new SQLFeatureNotSupportedException("there is no such log");
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        throw new SQLFeatureNotSupportedException("there is no such log");
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        throw new SQLFeatureNotSupportedException("connect_timeout says that");
    }

    @Override
    public int getLoginTimeout() {
        return (int) database.connectTimeout().toSeconds();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("there is no such log");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (isWrapperFor(type)) return type.cast(this);
        throw new SQLException("this is no " + type.getName());
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }
}
