package dev.howdah.testkit.bridge;

import dev.howdah.spi.TransactionBridge;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The smallest framework: a thread has the connection of its transaction. */
class ThreadTransactions implements TransactionBridge {
    private final DataSource source;
    private final ThreadLocal<@Nullable Bound> bound = new ThreadLocal<>();

    private record Bound(Connection connection, List<Runnable> callbacks) {}

    ThreadTransactions(DataSource source) {
        this.source = source;
    }

    @Override
    public boolean isActive() {
        return bound.get() != null;
    }

    @Override
    public <T extends @Nullable Object> T join(Work<T> work) throws Exception {
        Bound now = bound.get();
        if (now == null) throw new IllegalStateException("no transaction");
        return work.run(now.connection());
    }

    @Override
    public void afterCommit(Runnable work) {
        Bound now = bound.get();
        if (now != null) now.callbacks().add(work);
    }

    @Override
    public <T extends @Nullable Object> T begin(Work<T> work) throws Exception {
        return begin(false, work);
    }

    <T extends @Nullable Object> T begin(boolean readOnly, Work<T> work) throws Exception {
        Bound outer = bound.get();
        List<Runnable> callbacks = new ArrayList<>();
        T result;
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            connection.setReadOnly(readOnly);
            bound.set(new Bound(connection, callbacks));
            try {
                result = work.run(connection);
                connection.commit();
            } catch (Exception e) {
                undo(connection);
                throw e;
            } finally {
                bound.set(outer);
            }
        }
        callbacks.forEach(Runnable::run);
        return result;
    }

    void undo(Connection connection) throws SQLException {
        connection.rollback();
    }

    /** Calls {@code work} as if there were no transaction. */
    void suspended(Runnable work) {
        Bound outer = bound.get();
        bound.set(null);
        try {
            work.run();
        } finally {
            bound.set(outer);
        }
    }
}
