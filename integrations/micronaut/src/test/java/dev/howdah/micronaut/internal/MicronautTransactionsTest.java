package dev.howdah.micronaut.internal;

import dev.howdah.beans.internal.node.Installation;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.testkit.bridge.BridgeTable;
import dev.howdah.testkit.bridge.BridgeTable.Outcome;
import io.micronaut.context.ApplicationContext;
import io.micronaut.core.type.Argument;
import io.micronaut.jdbc.DataSourceResolver;
import io.micronaut.transaction.TransactionOperations;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** All calls in all transactions of Micronaut. */
@PostgresTest
@Tag("long")
@Execution(ExecutionMode.SAME_THREAD)
class MicronautTransactionsTest {
    private static final int POOL = 5;

    private final TestDatabase database;
    private final List<AutoCloseable> opened = new ArrayList<>();

    MicronautTransactionsTest(TestDatabase database) {
        this.database = database;
    }

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) opened.get(i).close();
    }

    /** Undoes a transaction. */
    private static final class Undone extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    @TestFactory
    Stream<DynamicContainer> calls() {
        return Stream.of(true, false)
                .map(autoCommit -> DynamicContainer.dynamicContainer(
                        "auto-commit " + autoCommit,
                        table(autoCommit).rows().stream()
                                .map(each -> DynamicTest.dynamicTest(each.name(), each::check))));
    }

    @SuppressWarnings("unchecked") // Micronaut has arguments for types with parameters
    private BridgeTable table(boolean autoCommit) {
        ApplicationContext application = ApplicationContext.run(Map.of(
                "datasources.default.url",
                database.uri().replace("postgresql://postgres@", "jdbc:postgresql://"),
                "datasources.default.username",
                "postgres",
                "datasources.default.maximum-pool-size",
                POOL,
                "datasources.default.auto-commit",
                autoCommit));
        opened.add(application);
        Installation its = application.getBean(InstallationFactory.Named.class).installation();
        DataSource pool = application.getBean(DataSourceResolver.class).resolve(application.getBean(DataSource.class));
        Situations in = application.getBean(Situations.class);
        TransactionOperations<Connection> transactions = (TransactionOperations<Connection>)
                application.getBean(Argument.of(TransactionOperations.class, Connection.class));
        BridgeTable table = BridgeTable.of(pool, POOL, its.sessions(), its.transactions())
                .situation("no transaction", Outcome.STAYS, Runnable::run)
                .situation("SUPPORTS", Outcome.STAYS, in::supports)
                .situation("NOT_SUPPORTED", Outcome.STAYS, in::notSupported)
                .situation("NEVER", Outcome.STAYS, in::never)
                .situation("REQUIRED", Outcome.STAYS, in::required)
                .situation(
                        "REQUIRES_NEW of one that is undone",
                        Outcome.STAYS,
                        work -> undone(in::required, () -> in.requiresNew(work)))
                .situation(
                        "suspended in one that is undone",
                        Outcome.STAYS,
                        work -> undone(in::required, () -> in.notSupported(work)))
                .situation("before a commit", Outcome.STAYS, in::beforeCommit)
                .situation("after a commit", Outcome.STAYS, in::afterCommit)
                .situation(
                        "after the commit of one in another that is undone",
                        Outcome.STAYS,
                        work -> undone(in::required, () -> in.afterAnInnerCommit(work)))
                .situation("REQUIRED that is undone", Outcome.GOES, work -> undone(in::required, work))
                .situation(
                        "SUPPORTS of one that is undone",
                        Outcome.GOES,
                        work -> undone(in::required, () -> in.supports(work)))
                .situation(
                        "REQUIRED of one begun by a call that is undone",
                        Outcome.GOES,
                        work -> undone(
                                each -> transactions.executeWrite(status -> {
                                    each.run();
                                    return 0;
                                }),
                                () -> in.required(work)))
                .situation("before a commit that is refused", Outcome.GOES, work -> undone(in::beforeCommit, work))
                .situation(
                        "to be rolled back",
                        Outcome.GOES,
                        work -> transactions.executeWrite(status -> {
                            status.setRollbackOnly();
                            work.run();
                            return 0;
                        }))
                .situation("read only", Outcome.REFUSED, in::readOnly);
        opened.add(table);
        return table;
    }

    private static void undone(Consumer<Runnable> transaction, Runnable work) {
        try {
            transaction.accept(() -> {
                work.run();
                throw new Undone();
            });
        } catch (Undone e) {
            // As intended.
        }
    }
}
