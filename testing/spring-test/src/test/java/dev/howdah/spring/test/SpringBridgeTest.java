package dev.howdah.spring.test;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spring.internal.transaction.SpringTransactions;
import dev.howdah.testkit.bridge.BridgeTable;
import dev.howdah.testkit.bridge.BridgeTable.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** All calls in all transactions of Spring. */
@PostgresTest
@Tag("long")
@Execution(ExecutionMode.SAME_THREAD)
class SpringBridgeTest {
    private static final int POOL = 5;

    private final TestDatabase database;
    private final List<AutoCloseable> opened = new ArrayList<>();

    SpringBridgeTest(TestDatabase database) {
        this.database = database;
    }

    /** Undoes a transaction. */
    private static final class Undone extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** A phase of a transaction in which its callbacks run. */
    private enum Phase {
        BEFORE_COMMIT,
        AFTER_COMMIT,
        AFTER_COMPLETION
    }

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) opened.get(i).close();
    }

    @TestFactory
    Stream<DynamicContainer> calls() {
        return Stream.of(true, false)
                .map(autoCommit -> DynamicContainer.dynamicContainer(
                        "auto-commit " + autoCommit,
                        table(autoCommit).rows().stream()
                                .map(each -> DynamicTest.dynamicTest(each.name(), each::check))));
    }

    private BridgeTable table(boolean autoCommit) {
        PGSimpleDataSource direct = new PGSimpleDataSource();
        direct.setUrl("jdbc:postgresql://" + database.uri().substring("postgresql://postgres@".length()));
        direct.setUser("postgres");
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(direct.getURL());
        config.setUsername("postgres");
        config.setMaximumPoolSize(POOL);
        config.setAutoCommit(autoCommit);
        HikariDataSource pool = new HikariDataSource(config);
        opened.add(pool);
        JdbcTransactionManager manager = new JdbcTransactionManager(pool);
        SpringTransactions bridge = SpringTransactions.of(
                pool,
                new StaticListableBeanFactory(Map.of("transactions", manager))
                        .getBeanProvider(PlatformTransactionManager.class));
        bridge.afterSingletonsInstantiated();
        BiConsumer<Integer, Runnable> in = (propagation, work) -> in(manager, propagation, work);
        int required = TransactionDefinition.PROPAGATION_REQUIRED;
        int supports = TransactionDefinition.PROPAGATION_SUPPORTS;
        int suspended = TransactionDefinition.PROPAGATION_NOT_SUPPORTED;
        BridgeTable table = BridgeTable.of(pool, POOL, direct, bridge)
                .situation("no transaction", Outcome.STAYS, Runnable::run)
                .situation("SUPPORTS", Outcome.STAYS, work -> in.accept(supports, work))
                .situation("NOT_SUPPORTED", Outcome.STAYS, work -> in.accept(suspended, work))
                .situation("NEVER", Outcome.STAYS, work -> in.accept(TransactionDefinition.PROPAGATION_NEVER, work))
                .situation("REQUIRED", Outcome.STAYS, work -> in.accept(required, work))
                .situation(
                        "REQUIRES_NEW of one that is undone",
                        Outcome.STAYS,
                        work -> undone(manager, () -> in.accept(TransactionDefinition.PROPAGATION_REQUIRES_NEW, work)))
                .situation(
                        "suspended in one that is undone",
                        Outcome.STAYS,
                        work -> undone(manager, () -> in.accept(suspended, work)))
                .situation("before a commit", Outcome.STAYS, work -> at(manager, Phase.BEFORE_COMMIT, work))
                .situation("after a commit", Outcome.STAYS, work -> at(manager, Phase.AFTER_COMMIT, work))
                .situation("after an end", Outcome.STAYS, work -> at(manager, Phase.AFTER_COMPLETION, work))
                .situation("REQUIRED that is undone", Outcome.GOES, work -> undone(manager, work))
                .situation(
                        "SUPPORTS of one that is undone",
                        Outcome.GOES,
                        work -> undone(manager, () -> in.accept(supports, work)))
                .situation(
                        "NESTED of one that is undone",
                        Outcome.GOES,
                        work -> undone(manager, () -> in.accept(TransactionDefinition.PROPAGATION_NESTED, work)))
                .situation(
                        "to be rolled back",
                        Outcome.GOES_OR_REFUSED,
                        work -> new TransactionTemplate(manager).executeWithoutResult(status -> {
                            status.setRollbackOnly();
                            work.run();
                        }))
                .situation("read only", Outcome.REFUSED, work -> {
                    TransactionTemplate template = new TransactionTemplate(manager);
                    template.setReadOnly(true);
                    template.executeWithoutResult(status -> work.run());
                });
        opened.add(table);
        return table;
    }

    private static void in(PlatformTransactionManager manager, int propagation, Runnable work) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        template.executeWithoutResult(status -> work.run());
    }

    private static void undone(PlatformTransactionManager manager, Runnable work) {
        try {
            in(manager, TransactionDefinition.PROPAGATION_REQUIRED, () -> {
                work.run();
                throw new Undone();
            });
        } catch (Undone e) {
            // As intended.
        }
    }

    private static void at(PlatformTransactionManager manager, Phase phase, Runnable work) {
        RuntimeException[] thrown = new RuntimeException[1];
        in(
                manager,
                TransactionDefinition.PROPAGATION_REQUIRED,
                () -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void beforeCommit(boolean readOnly) {
                        if (phase == Phase.BEFORE_COMMIT) work.run();
                    }

                    @Override
                    public void afterCommit() {
                        if (phase == Phase.AFTER_COMMIT) work.run();
                    }

                    /** Spring logs what is thrown here. */
                    @Override
                    public void afterCompletion(int status) {
                        try {
                            if (phase == Phase.AFTER_COMPLETION) work.run();
                        } catch (RuntimeException e) {
                            thrown[0] = e;
                        }
                    }
                }));
        if (thrown[0] != null) throw thrown[0];
    }
}
