package dev.howdah.quarkus.runtime;

import dev.howdah.spi.TransactionBridge;
import io.agroal.api.AgroalDataSource;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.narayana.jta.QuarkusTransactionException;
import io.quarkus.narayana.jta.TransactionRunnerOptions;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.Connection;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of JTA, in which a data source of Quarkus gives each thread the connection of its transaction. Safe for use by many
 * threads.
 */
final class JtaTransactions implements TransactionBridge {
    /** JTA's own limit would end the transaction of a handler without a time limit after a minute. */
    private static final int NO_LIMIT_SECONDS = (int) Duration.ofDays(365).toSeconds();

    /** By how much JTA waits longer than Howdah, which says which job took too long. */
    private static final int GRACE_SECONDS = 5;

    private final AgroalDataSource source;
    private final TransactionSynchronizationRegistry registry;

    JtaTransactions(AgroalDataSource source, TransactionSynchronizationRegistry registry) {
        this.source = source;
        this.registry = registry;
    }

    /** Not after its end, and not while it ends: callbacks of that time find a thread that has a transaction still. */
    @Override
    public boolean isActive() {
        int status = QuarkusTransaction.getStatus();
        return status == Status.STATUS_ACTIVE || status == Status.STATUS_MARKED_ROLLBACK;
    }

    @Override
    public <T extends @Nullable Object> T join(Work<T> work) throws Exception {
        if (QuarkusTransaction.getStatus() == Status.STATUS_MARKED_ROLLBACK)
            throw new IllegalStateException(
                    "it is marked for rollback: what is added in it would be gone; add it in a transaction of its own,"
                            + " or before setRollbackOnly");
        try (Connection connection = source.getConnection()) {
            return work.run(connection);
        }
    }

    @Override
    public void afterCommit(Runnable work) {
        registry.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {}

            @Override
            public void afterCompletion(int status) {
                if (status == Status.STATUS_COMMITTED) work.run();
            }
        });
    }

    @Override
    public <T extends @Nullable Object> T begin(Work<T> work) throws Exception {
        return begin(Duration.ZERO, work);
    }

    @Override
    public <T extends @Nullable Object> T begin(Duration limit, Work<T> work) throws Exception {
        TransactionRunnerOptions options =
                QuarkusTransaction.requiringNew().timeout(limit.isZero() ? NO_LIMIT_SECONDS : seconds(limit));
        try {
            return options.call(() -> {
                try (Connection connection = source.getConnection()) {
                    return work.run(connection);
                }
            });
        } catch (QuarkusTransactionException e) {
            throw Objects.requireNonNull(e.getCause() instanceof Exception cause ? cause : e);
        }
    }

    private static int seconds(Duration limit) {
        return (int)
                Math.min(NO_LIMIT_SECONDS, limit.plusSeconds(GRACE_SECONDS + 1).toSeconds());
    }
}
