package dev.howdah.job;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A pool that has so many connections at most, and says that there is none after two seconds. */
final class SmallPool implements DataSource {
    private static final int PATIENCE_SECONDS = 2;

    private final DataSource direct;
    private final Semaphore free;

    SmallPool(DataSource direct, int size) {
        this.direct = direct;
        this.free = new Semaphore(size, true);
    }

    @Override
    public Connection getConnection() throws SQLException {
        try {
            if (!free.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS))
                throw new SQLTransientConnectionException("no connection within " + PATIENCE_SECONDS + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted", e);
        }
        Connection connection = direct.getConnection();
        AtomicBoolean closed = new AtomicBoolean();
        return (Connection) Proxy.newProxyInstance(
                SmallPool.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, values) -> {
                    if (method.getName().equals("close") && closed.compareAndSet(false, true)) free.release();
                    try {
                        return method.invoke(connection, values);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return getConnection();
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return direct.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        direct.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        direct.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return direct.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return direct.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return direct.isWrapperFor(type);
    }
}
