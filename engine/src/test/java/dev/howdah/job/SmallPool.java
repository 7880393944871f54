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

/**
 * A pool that has so many connections at most, and says that there is none after two seconds. As pools of application servers
 * do, it refuses that a thread in a transaction uses, or closes, a connection that was got outside of it.
 */
final class SmallPool implements DataSource {
    private static final int PATIENCE_SECONDS = 2;

    /** Whether the thread is in a transaction of the application server. */
    private final ThreadLocal<Boolean> inTransaction = ThreadLocal.withInitial(() -> false);

    private final DataSource direct;
    private final int size;
    private final Semaphore free;

    SmallPool(DataSource direct, int size) {
        this.direct = direct;
        this.size = size;
        this.free = new Semaphore(size, true);
    }

    /** Some work of an application. */
    interface Work {
        void run() throws Exception;
    }

    /** As a method with {@code @Transactional} of Jakarta does it. */
    void inTransaction(Work work) throws Exception {
        inTransaction.set(true);
        try {
            work.run();
        } finally {
            inTransaction.set(false);
        }
    }

    /** Whether all connections are back. */
    boolean isWhole() {
        return free.availablePermits() == size;
    }

    @Override
    public Connection getConnection() throws SQLException {
        boolean enlisted = inTransaction.get();
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
                    boolean asks = method.getName().startsWith("is")
                            || method.getName().equals("unwrap");
                    if (inTransaction.get() && !enlisted && !asks)
                        throw new SQLException("Deferred enlistment not supported");
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
