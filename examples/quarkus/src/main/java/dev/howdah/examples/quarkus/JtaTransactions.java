package dev.howdah.examples.quarkus;

import dev.howdah.spi.TransactionBridge;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.narayana.jta.QuarkusTransactionException;
import jakarta.transaction.Status;
import java.sql.Connection;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The transactions of JTA, in which a data source of Quarkus gives each thread the connection of its transaction. */
record JtaTransactions(DataSource source) implements TransactionBridge {
    @Override
    public boolean isActive() {
        int status = QuarkusTransaction.getStatus();
        return status == Status.STATUS_ACTIVE || status == Status.STATUS_MARKED_ROLLBACK;
    }

    @Override
    public <T extends @Nullable Object> T join(Work<T> work) throws Exception {
        try (Connection connection = source.getConnection()) {
            return work.run(connection);
        }
    }

    @Override
    public <T extends @Nullable Object> T begin(Work<T> work) throws Exception {
        try {
            return QuarkusTransaction.requiringNew().call(() -> join(work));
        } catch (QuarkusTransactionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }
}
