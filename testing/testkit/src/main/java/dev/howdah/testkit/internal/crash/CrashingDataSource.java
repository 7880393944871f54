package dev.howdah.testkit.internal.crash;

import dev.howdah.internal.connection.CallerThreadSource;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections of another data source that end when the program does. */
public final class CrashingDataSource implements DataSource, CallerThreadSource {
    private final DataSource source;
    private final CrashSwitch program;

    public CrashingDataSource(DataSource source, CrashSwitch program) {
        this.source = source;
        this.program = program;
    }

    @Override
    public Connection getConnection() throws SQLException {
        program.requireAlive();
        return CrashingConnection.of(source.getConnection(), program);
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        program.requireAlive();
        return CrashingConnection.of(source.getConnection(user, password), program);
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("connections of the program under test have to come from this data source itself");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }

    @Override
    public @Nullable PrintWriter getLogWriter() throws SQLException {
        return source.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        source.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        source.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return source.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return source.getParentLogger();
    }
}
