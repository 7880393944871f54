package dev.howdah.micronaut.internal;

import dev.howdah.spi.TransactionBridge;
import io.micronaut.data.connection.ConnectionOperations;
import io.micronaut.data.connection.ConnectionStatus;
import io.micronaut.transaction.TransactionDefinition;
import io.micronaut.transaction.TransactionDefinition.Propagation;
import io.micronaut.transaction.TransactionOperations;
import io.micronaut.transaction.TransactionStatus;
import io.micronaut.transaction.impl.DefaultTransactionStatus;
import io.micronaut.transaction.support.TransactionSynchronization;
import java.sql.Connection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The transactions of Micronaut, which bind a connection to each thread. Safe for use by many threads. */
record MicronautTransactions(
        TransactionOperations<Connection> transactions, ConnectionOperations<Connection> connections)
        implements TransactionBridge {
    /** Of the status that there is without a transaction, as with SUPPORTS: what is added there is never committed. */
    private static final Class<?> NO_TRANSACTION =
            DefaultTransactionStatus.noTx(null, TransactionDefinition.DEFAULT).getClass();

    @Override
    public boolean isActive() {
        Optional<Connection> bound = connections.findConnectionStatus().map(ConnectionStatus::getConnection);
        if (bound.isEmpty()) return false;
        // Callbacks at the end of a transaction find that around it, or none.
        return status(bound.get())
                .map(status -> status.getClass() != NO_TRANSACTION)
                .orElseGet(MicronautTransactions::isBeforeTheEnd);
    }

    private Optional<? extends TransactionStatus<?>> status(Connection bound) {
        return transactions.findTransactionStatus().filter(status -> status.getConnection() == bound);
    }

    private static boolean isBeforeTheEnd() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().startsWith("before")
                        && TransactionSynchronization.class.isAssignableFrom(frame.getDeclaringClass())));
    }

    @Override
    public <T extends @Nullable Object> T join(Work<T> work) throws Exception {
        return work.run(connections.getConnectionStatus().getConnection());
    }

    /** Where Micronaut has no callback for it, which is in those before the commit: at once. */
    @Override
    public void afterCommit(Runnable work) {
        Optional<? extends TransactionStatus<?>> status =
                status(connections.getConnectionStatus().getConnection());
        if (status.isEmpty()) work.run();
        else
            status.get().registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    work.run();
                }
            });
    }

    @Override
    public <T extends @Nullable Object> T begin(Work<T> work) throws Exception {
        return transactions.execute(
                TransactionDefinition.of(Propagation.REQUIRES_NEW), status -> work.run(status.getConnection()));
    }
}
