package dev.howdah.examples.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.job.workflow.Workflow;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweeps;
import io.micronaut.context.ApplicationContext;
import io.micronaut.core.type.Argument;
import io.micronaut.data.connection.ConnectionOperations;
import io.micronaut.jdbc.DataSourceResolver;
import io.micronaut.transaction.TransactionOperations;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Calls in all transactions of Micronaut: what joins is there if, and only if, the transaction commits. */
@PostgresTest
@Execution(ExecutionMode.SAME_THREAD)
class MicronautTransactionsTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class).queue("idle");

    private final TestDatabase database;
    private final AtomicInteger number = new AtomicInteger();
    private final List<AutoCloseable> opened = new ArrayList<>();

    MicronautTransactionsTest(TestDatabase database) {
        this.database = database;
        database.execute("CREATE TABLE orders (id bigserial PRIMARY KEY, customer text, confirmed int DEFAULT 0)");
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
        return Stream.of(true, false).map(this::application);
    }

    @SuppressWarnings("unchecked") // Micronaut has arguments for types with parameters
    private DynamicContainer application(boolean autoCommit) {
        ApplicationContext application = ApplicationContext.run(Map.of(
                "datasources.default.url",
                "jdbc:postgresql://" + database.uri().substring("postgresql://postgres@".length()),
                "datasources.default.username",
                "postgres",
                "datasources.default.auto-commit",
                autoCommit));
        opened.add(application);
        Jobs jobs = application.getBean(Jobs.class);
        Situations situations = application.getBean(Situations.class);
        HikariDataSource pool = (HikariDataSource)
                application.getBean(DataSourceResolver.class).resolve(application.getBean(DataSource.class));
        TransactionOperations<Connection> transactions = (TransactionOperations<Connection>)
                application.getBean(Argument.of(TransactionOperations.class, Connection.class));
        ConnectionOperations<Connection> connections = (ConnectionOperations<Connection>)
                application.getBean(Argument.of(ConnectionOperations.class, Connection.class));
        Processes processes = Processes.on(pool)
                .transactions(new MicronautTransactions(transactions, connections))
                .namespace(Namespace.of("n", (task, process) -> Intent.none()))
                .start();
        opened.add(processes);
        Map<String, Runnable> joining = new LinkedHashMap<>();
        joining.put("add", () -> jobs.add(WORK, next()));
        joining.put("add with a key", () -> jobs.add(NewJob.of(WORK, next()).key("k" + next())));
        joining.put("addAll", () -> jobs.addAll(List.of(NewJob.of(WORK, next()))));
        joining.put(
                "workflows.add", () -> jobs.workflows().add(Workflow.of("w").jobs(List.of(NewJob.of(WORK, next())))));
        joining.put("processes.init", () -> processes.init("n", "p" + next(), null));
        Map<String, Runnable> beside = new LinkedHashMap<>();
        beside.put("admin.find", () -> jobs.admin().find(1));
        beside.put("admin.pause", () -> jobs.admin().pause("held"));
        beside.put("schedule", () -> jobs.schedule(Schedule.every("s", Duration.ofDays(1)), NewJob.of(WORK, 1)));
        beside.put("sweeps.list", () -> Sweeps.on(pool).list());
        return DynamicContainer.dynamicContainer(
                "auto-commit " + autoCommit,
                of(situations, transactions).entrySet().stream()
                        .flatMap(situation -> Stream.concat(
                                joining.entrySet().stream()
                                        .map(call -> DynamicTest.dynamicTest(
                                                situation.getKey() + ": " + call.getKey(),
                                                () -> checkJoining(
                                                        situation.getKey(), situation.getValue(), call.getValue()))),
                                beside.entrySet().stream()
                                        .map(call -> DynamicTest.dynamicTest(
                                                situation.getKey() + ": " + call.getKey(),
                                                () -> situation.getValue().accept(call.getValue()))))));
    }

    private int next() {
        return number.incrementAndGet();
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

    /** By name; the name says what becomes of what joins. */
    private static Map<String, Consumer<Runnable>> of(Situations in, TransactionOperations<Connection> transactions) {
        Map<String, Consumer<Runnable>> all = new LinkedHashMap<>();
        all.put("stays without a transaction", Runnable::run);
        all.put("stays in SUPPORTS", in::supports);
        all.put("stays in NOT_SUPPORTED", in::notSupported);
        all.put("stays in NEVER", in::never);
        all.put("stays in REQUIRED", in::required);
        all.put(
                "stays in REQUIRES_NEW of one that is undone",
                work -> undone(in::required, () -> in.requiresNew(work)));
        all.put("stays suspended in one that is undone", work -> undone(in::required, () -> in.notSupported(work)));
        all.put("stays before a commit", in::beforeCommit);
        all.put("stays after a commit", in::afterCommit);
        all.put(
                "stays after the commit of one in another that is undone",
                work -> undone(in::required, () -> in.afterAnInnerCommit(work)));
        all.put("goes in REQUIRED", work -> undone(in::required, work));
        all.put("goes in SUPPORTS of one that is undone", work -> undone(in::required, () -> in.supports(work)));
        all.put(
                "goes in REQUIRED of one begun by a call that is undone",
                work -> undone(
                        each -> transactions.executeWrite(status -> {
                            each.run();
                            return 0;
                        }),
                        () -> in.required(work)));
        all.put("goes before a commit that is refused", work -> undone(in::beforeCommit, work));
        all.put(
                "goes in one that is to be rolled back",
                work -> transactions.executeWrite(status -> {
                    status.setRollbackOnly();
                    work.run();
                    return 0;
                }));
        all.put("refused in one that is read only", in::readOnly);
        return all;
    }

    private long rows() {
        return Long.parseLong(Objects.requireNonNull(database.value(
                "SELECT (SELECT count(*) FROM howdah_internal.job) + (SELECT count(*) FROM howdah_internal.process)")));
    }

    private void checkJoining(String name, Consumer<Runnable> situation, Runnable call) {
        long before = rows();
        if (name.startsWith("refused"))
            assertThatThrownBy(() -> situation.accept(call)).hasStackTraceContaining("read only");
        else situation.accept(call);
        assertThat(rows() > before).as("it is there").isEqualTo(name.startsWith("stays"));
    }
}
