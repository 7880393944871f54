package dev.howdah.quarkus.deployment;

import dev.howdah.quarkus.runtime.Installations;
import dev.howdah.testkit.bridge.BridgeTable;
import dev.howdah.testkit.bridge.BridgeTable.Outcome;
import io.agroal.api.AgroalDataSource;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.narayana.jta.QuarkusTransactionException;
import io.quarkus.test.QuarkusUnitTest;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** All calls in all transactions of JTA. */
@Tag("long")
@SuppressWarnings("NullAway.Init") // injected
class JtaTransactionsTest {
    private static final int POOL = 5;

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = TestApplication.with(Scopes.class, Undone.class)
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.max-size", String.valueOf(POOL));

    /** Undoes a transaction. */
    static final class Undone extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Methods that call something in a transaction, or in none. */
    @ApplicationScoped
    static class Scopes {
        @Transactional(TxType.SUPPORTS)
        void supports(Runnable work) {
            work.run();
        }

        @Transactional(TxType.NOT_SUPPORTED)
        void notSupported(Runnable work) {
            work.run();
        }

        @Transactional(TxType.NEVER)
        void never(Runnable work) {
            work.run();
        }
    }

    @Inject
    AgroalDataSource pool;

    @Inject
    Installations installations;

    @Inject
    Scopes scopes;

    @Inject
    TransactionSynchronizationRegistry synchronizations;

    private BridgeTable table;

    @TestFactory
    Stream<DynamicTest> calls() {
        table = BridgeTable.of(
                        pool,
                        POOL,
                        installations.of("<default>").sessions(),
                        installations.of("<default>").transactions())
                .situation("no transaction", Outcome.STAYS, Runnable::run)
                .situation("committed", Outcome.STAYS, QuarkusTransaction.requiringNew()::run)
                .situation("SUPPORTS without a transaction", Outcome.STAYS, scopes::supports)
                .situation("NOT_SUPPORTED", Outcome.STAYS, scopes::notSupported)
                .situation("NEVER", Outcome.STAYS, scopes::never)
                .situation("rolled back", Outcome.GOES, JtaTransactionsTest::undone)
                .situation(
                        "SUPPORTS in one that is rolled back",
                        Outcome.GOES,
                        work -> undone(() -> scopes.supports(work)))
                .situation(
                        "NOT_SUPPORTED in one that is rolled back",
                        Outcome.STAYS,
                        work -> undone(() -> scopes.notSupported(work)))
                .situation(
                        "suspended",
                        Outcome.STAYS,
                        work -> undone(
                                () -> QuarkusTransaction.suspendingExisting().run(work)))
                .situation(
                        "before the commit",
                        Outcome.STAYS,
                        work -> QuarkusTransaction.requiringNew().run(() -> before(work)))
                .situation("before a commit that is refused", Outcome.GOES, this::refused)
                .situation(
                        "after the commit",
                        Outcome.STAYS,
                        work -> QuarkusTransaction.requiringNew().run(() -> after(work)))
                .situation("marked for rollback", Outcome.GOES_OR_REFUSED, JtaTransactionsTest::marked)
                .situation(
                        "after a statement",
                        Outcome.GOES,
                        work -> undone(() -> {
                            try (Connection connection = pool.getConnection();
                                    Statement statement = connection.createStatement()) {
                                statement.execute("CREATE TABLE of_the_caller ()");
                            } catch (SQLException e) {
                                throw new IllegalStateException(e);
                            }
                            work.run();
                        }));
        return table.rows().stream().map(each -> DynamicTest.dynamicTest(each.name(), each::check));
    }

    @AfterEach
    void close() {
        table.close();
    }

    private static void undone(Runnable work) {
        try {
            QuarkusTransaction.requiringNew().run(() -> {
                work.run();
                throw new Undone();
            });
        } catch (Undone e) {
            // As intended.
        }
    }

    private static void marked(Runnable work) {
        try {
            QuarkusTransaction.requiringNew().run(() -> {
                QuarkusTransaction.setRollbackOnly();
                work.run();
            });
        } catch (QuarkusTransactionException e) {
            // It says that it has rolled back.
            if (!(e.getCause() instanceof RollbackException)) throw e;
        }
    }

    private void refused(Runnable work) {
        try {
            QuarkusTransaction.requiringNew()
                    .run(() -> before(() -> {
                        work.run();
                        throw new Undone();
                    }));
        } catch (RuntimeException e) {
            for (Throwable each = e; each != null; each = each.getCause()) if (each instanceof Undone) return;
            throw e;
        }
    }

    private void before(Runnable work) {
        synchronizations.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                work.run();
            }

            @Override
            public void afterCompletion(int status) {}
        });
    }

    private void after(Runnable work) {
        synchronizations.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {}

            @Override
            public void afterCompletion(int status) {
                work.run();
            }
        });
    }
}
