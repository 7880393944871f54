package dev.howdah.console.internal.data;

import dev.howdah.internal.connection.CallerThreadSource;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * A data source that counts how many connections each thread takes: the console takes one for each statement. It does not unwrap the other
 * one, whose connections would not be counted. Safe for use by many threads.
 */
public final class CountedSource implements DataSource, CallerThreadSource {
    private final DataSource source;
    private final ThreadLocal<long[]> taken = ThreadLocal.withInitial(() -> new long[1]);

    public CountedSource(DataSource source) {
        this.source = source;
    }

    /** How many connections the thread that asks has taken. */
    public long taken() {
        return taken.get()[0];
    }

    @Override
    public Connection getConnection() throws SQLException {
        taken.get()[0]++;
        return source.getConnection();
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        taken.get()[0]++;
        return source.getConnection(user, password);
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
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
    public Logger getParentLogger() throws java.sql.SQLFeatureNotSupportedException {
        return source.getParentLogger();
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
