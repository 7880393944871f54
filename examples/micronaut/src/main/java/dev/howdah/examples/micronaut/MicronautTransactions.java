package dev.howdah.examples.micronaut;

import dev.howdah.spi.TransactionBridge;
import io.micronaut.transaction.TransactionDefinition;
import io.micronaut.transaction.TransactionDefinition.Propagation;
import io.micronaut.transaction.TransactionOperations;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** The transactions of Micronaut, which bind a connection to each thread. */
record MicronautTransactions(TransactionOperations<Connection> transactions) implements TransactionBridge {
    @Override
    public boolean isActive() {
        return transactions.findTransactionStatus().isPresent();
    }

    @Override
    public <T extends @Nullable Object> T join(Work<T> work) throws Exception {
        return work.run(transactions.getConnection());
    }

    @Override
    public <T extends @Nullable Object> T begin(Work<T> work) throws Exception {
        return transactions.execute(
                TransactionDefinition.of(Propagation.REQUIRES_NEW), status -> work.run(status.getConnection()));
    }
}
