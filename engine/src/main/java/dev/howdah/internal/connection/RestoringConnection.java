package dev.howdah.internal.connection;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * A connection of a pool that goes back as it came: in no transaction, and with the modes that it had. Where that fails its
 * session is ended, so that no borrower gets it in another state.
 */
final class RestoringConnection implements InvocationHandler {
    private final Connection connection;
    private final BaseConnection driver;
    private final boolean autoCommit;
    private final boolean readOnly;
    private final @Nullable Integer isolation;
    private final Predicate<Connection> evict;
    private final Consumer<BaseConnection> returned;
    /** The pool has dropped it, and is not to get it back. */
    private volatile boolean gone;

    private RestoringConnection(
            Connection connection,
            BaseConnection driver,
            boolean autoCommit,
            boolean readOnly,
            @Nullable Integer isolation,
            Predicate<Connection> evict,
            Consumer<BaseConnection> returned) {
        this.connection = connection;
        this.driver = driver;
        this.autoCommit = autoCommit;
        this.readOnly = readOnly;
        this.isolation = isolation;
        this.evict = evict;
        this.returned = returned;
    }

    /**
     * @param driver the same connection without what pools put around it
     * @param autoCommit its mode when it is closed
     * @param readOnly its mode when it is closed
     * @param isolation of its transactions when it is closed; null: as it is
     * @param evict makes the pool drop a connection; false if that pool cannot be told
     * @param returned told when it is closed
     */
    static Connection of(
            Connection connection,
            BaseConnection driver,
            boolean autoCommit,
            boolean readOnly,
            @Nullable Integer isolation,
            Predicate<Connection> evict,
            Consumer<BaseConnection> returned) {
        return (Connection) Proxy.newProxyInstance(
                RestoringConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new RestoringConnection(connection, driver, autoCommit, readOnly, isolation, evict, returned));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] values) throws Throwable {
        switch (method.getName()) {
            case "close" -> {
                close();
                return null;
            }
            case "abort" -> {
                abort();
                return null;
            }
            case "equals" -> {
                return values != null && proxy == values[0];
            }
            case "hashCode" -> {
                return System.identityHashCode(proxy);
            }
            default -> {
                // A pool may take even this question for a use of the connection.
                if (values != null
                        && values.length == 1
                        && values[0] instanceof Class<?> type
                        && type.isInstance(driver)) {
                    if (method.getName().equals("unwrap")) return driver;
                    if (method.getName().equals("isWrapperFor")) return true;
                }
                try {
                    return method.invoke(connection, values);
                } catch (InvocationTargetException e) {
                    throw e.getCause() == null ? e : e.getCause();
                }
            }
        }
    }

    private void close() throws SQLException {
        if (gone) return;
        try {
            if (!connection.isClosed()) restore();
        } catch (SQLException | RuntimeException e) {
            abort();
        } finally {
            returned.accept(driver);
            if (!gone) connection.close();
        }
    }

    /** May be called by several threads. HikariCP logs a warning when it is told twice. */
    private synchronized void abort() throws SQLException {
        if (!gone) gone = evict.test(connection);
        driver.abort(Runnable::run);
    }

    private void restore() throws SQLException {
        if (driver.getTransactionState() != TransactionState.IDLE) {
            // In autocommit mode a transaction can only have been begun by a statement.
            if (connection.getAutoCommit()) connection.setAutoCommit(false);
            connection.rollback();
        }
        if (connection.isReadOnly() != readOnly) connection.setReadOnly(readOnly);
        if (isolation != null) connection.setTransactionIsolation(isolation);
        if (connection.getAutoCommit() != autoCommit) connection.setAutoCommit(autoCommit);
    }
}
