package dev.howdah.calls;

import dev.howdah.spi.TransactionBridge;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * The pool of an application server: a thread in a transaction gets the connection of that transaction, and may neither use nor close one that was
 * got outside of it. It takes note of connections that are used by another thread than the one that got them.
 */
final class ServerPool {
    private static final int PATIENCE_SECONDS = 5;
    private static final Set<String> ANYWHERE = Set.of("abort", "toString", "equals", "hashCode", "cancel");

    private final DataSource direct;
    private final int size;
    private final boolean autoCommit;
    private final Semaphore free;
    private final ThreadLocal<@Nullable Transaction> current = new ThreadLocal<>();
    private final Queue<String> misuses = new ConcurrentLinkedQueue<>();
    private final Queue<Connection> idle = new ConcurrentLinkedQueue<>();

    /** @param autoCommit the mode of connections that are in no transaction of the server */
    ServerPool(DataSource direct, int size, boolean autoCommit) {
        this.direct = direct;
        this.size = size;
        this.autoCommit = autoCommit;
        this.free = new Semaphore(size, true);
    }

    /** What an application does. */
    interface Work<T extends @Nullable Object> {
        T run() throws Exception;
    }

    /** A transaction of a thread. */
    static final class Transaction {
        private final Connection connection;
        private boolean rollbackOnly;
        private int statements;

        private Transaction(Connection connection) {
            this.connection = connection;
        }

        /** How many statements its connection was asked for. */
        int statements() {
            return statements;
        }

        void setRollbackOnly() {
            rollbackOnly = true;
        }
    }

    DataSource source() {
        return (DataSource) Proxy.newProxyInstance(
                ServerPool.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, values) -> {
                    if (method.getName().equals("getConnection")) return connection();
                    return call(direct, method, values);
                });
    }

    /** Ends its sessions. */
    void close() throws SQLException {
        for (Connection each : idle) each.close();
    }

    /** Waits until all connections are back: threads of the library may have one for a moment. */
    void awaitWhole() {
        Awaitility.await("connections are back").until(() -> free.availablePermits() == size);
    }

    /** Connections that were used where they were not got. */
    Queue<String> misuses() {
        return misuses;
    }

    /** In which the thread is. */
    @Nullable
    Transaction current() {
        return current.get();
    }

    /** Work outside of any transaction; that of the thread is bound to it again afterwards. */
    <T extends @Nullable Object> T suspended(Work<T> work) throws Exception {
        Transaction outer = current.get();
        current.remove();
        try {
            return work.run();
        } finally {
            current.set(outer);
        }
    }

    /** Work in a transaction of its own, which commits if it returns. */
    <T extends @Nullable Object> T inTransaction(boolean readOnly, Work<T> work) throws Exception {
        Transaction outer = current.get();
        Connection connection = taken();
        try {
            connection.setReadOnly(readOnly);
            connection.setAutoCommit(false);
            Transaction own = new Transaction(connection);
            current.set(own);
            T result;
            try {
                result = work.run();
            } catch (Throwable e) {
                connection.rollback();
                throw e;
            }
            if (own.rollbackOnly) connection.rollback();
            else connection.commit();
            return result;
        } finally {
            current.set(outer);
            back(connection);
        }
    }

    private Connection taken() throws SQLException {
        Connection known = idle.poll();
        return known == null ? direct.getConnection() : known;
    }

    private void back(Connection connection) throws SQLException {
        if (connection.isClosed()) return;
        if (!connection.getAutoCommit()) connection.rollback();
        connection.setReadOnly(false);
        idle.add(connection);
    }

    /** As a framework would write it. */
    TransactionBridge bridge() {
        return new TransactionBridge() {
            @Override
            public boolean isActive() {
                return current.get() != null;
            }

            @Override
            public <T extends @Nullable Object> T join(Work<T> work) throws Exception {
                try (Connection connection = connection()) {
                    return work.run(connection);
                }
            }

            @Override
            public <T extends @Nullable Object> T begin(Work<T> work) throws Exception {
                return inTransaction(false, () -> join(work));
            }
        };
    }

    /** A statement of the application, in the transaction of the thread if there is one. */
    void execute(String sql) throws SQLException {
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private Connection connection() throws SQLException {
        Transaction own = current.get();
        return own == null ? lent() : enlisted(own);
    }

    private static Connection enlisted(Transaction own) {
        return proxy(Connection.class, (proxy, method, values) -> {
            if (method.getName().equals("close")) return null;
            if (method.getName().startsWith("prepare") || method.getName().startsWith("create")) own.statements++;
            return call(own.connection, method, values);
        });
    }

    private Connection lent() throws SQLException {
        try {
            if (!free.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS))
                throw new SQLTransientConnectionException("no connection within " + PATIENCE_SECONDS + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted", e);
        }
        Connection connection = taken();
        connection.setAutoCommit(autoCommit);
        Thread owner = Thread.currentThread();
        AtomicBoolean closed = new AtomicBoolean();
        return proxy(Connection.class, (proxy, method, values) -> {
            check(method, owner);
            if (method.getName().equals("close")) {
                if (!closed.compareAndSet(false, true)) return null;
                back(connection);
                free.release();
                return null;
            }
            Object result = call(connection, method, values);
            return result instanceof Statement statement ? ofOwner(statement, owner) : result;
        });
    }

    private Statement ofOwner(Statement statement, Thread owner) {
        InvocationHandler handler = (proxy, method, values) -> {
            if (method.getName().startsWith("execute")) check(method, owner);
            return call(statement, method, values);
        };
        return statement instanceof PreparedStatement
                ? proxy(PreparedStatement.class, handler)
                : proxy(Statement.class, handler);
    }

    private void check(Method method, Thread owner) throws SQLException {
        if (ANYWHERE.contains(method.getName())) return;
        if (Thread.currentThread() != owner)
            misuses.add(method.getName() + " in " + Thread.currentThread().getName());
        if (current.get() != null) throw new SQLException("Deferred enlistment not supported");
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(ServerPool.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] values)
            throws Throwable {
        try {
            return method.invoke(target, values);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
