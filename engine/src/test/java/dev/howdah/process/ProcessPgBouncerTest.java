package dev.howdah.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.fixtures.PgBouncer;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.query.ProcessQuery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Processes with a real PgBouncer before the database, in each of its modes. */
@PostgresTest
@Tag("long")
class ProcessPgBouncerTest {
    private final TestDatabase database;

    ProcessPgBouncerTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void look() {
        assumeTrue(PgBouncer.isThere(), PgBouncer.MISSING);
    }

    private PGSimpleDataSource through(PgBouncer pooler) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://127.0.0.1:" + pooler.port() + "/" + database.name() + "?user=postgres");
        // What a session has prepared is not there in the next one.
        source.setPrepareThreshold(0);
        return source;
    }

    private static Namespace orders() {
        return Namespace.of("orders", (task, process) -> switch (task.type()) {
            case INIT -> Intent.none().event("made").then(Action.timeout(Duration.ofMillis(50)));
            case TIMEOUT -> Intent.none().event("timed");
            case CALL -> {
                if (task.args().as(String.class).equals("break")) throw new StepFailedException("broken");
                yield Intent.none().event("called").response("answer");
            }
            default -> Intent.none();
        });
    }

    @ParameterizedTest
    @CsvSource({"transaction, pool_mode = session", "statement, statement pooling mode"})
    void pooler_withoutSessions_isRefusedWithTheReason(String mode, String words) {
        try (PgBouncer pooler = PgBouncer.before(database, mode)) {
            for (int i = 0; i < 3; i++)
                assertThatThrownBy(() -> Processes.on(through(pooler))
                                .namespace(orders())
                                .start())
                        .isInstanceOf(ProcessException.class)
                        .hasMessageContaining(words);
        }
    }

    /** Everything that a program asks of processes goes through the pooler; what is kept does not. */
    @Test
    void transactionMode_withSessionsOfItsOwn_doesAll() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        ExecutorService callers = Executors.newFixedThreadPool(8);
        try (PgBouncer pooler = PgBouncer.before(database, "transaction");
                Processes processes = Processes.on(through(pooler))
                        .sessionDataSource(Scripted.source(database))
                        .namespace(orders(), notices -> notices.forEach(each -> told.add(each.process())))
                        .start()) {
            for (int i = 0; i < 10; i++) processes.init("orders", "p" + i, "x");
            List<CompletableFuture<String>> answers = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                String id = "p" + i % 10;
                answers.add(CompletableFuture.supplyAsync(
                        () -> processes.call("orders", id, "x").as(String.class), callers));
            }
            for (CompletableFuture<String> each : answers)
                assertThat(each.get()).isEqualTo("answer");
            Scripted.awaiting("all timers have fired")
                    .until(() -> processes.get("orders", "p0").history().stream()
                            .anyMatch(each -> String.valueOf(each.payload().as(String.class))
                                    .equals("timed")));
            assertThatThrownBy(() -> processes.call("orders", "p1", "break")).hasMessageContaining("broken");
            assertThat(processes.get("orders", "p1").status()).isEqualTo(ProcessStatus.ERROR);
            processes.simpleRepair("orders", "p1");
            assertThat(processes.call("orders", "p1", "x").as(String.class)).isEqualTo("answer");
            assertThat(processes.list(ProcessQuery.of("orders").limit(100))).hasSize(10);
            assertThat(processes.trace("orders", "p2")).isNotEmpty();
            processes.remove("orders", "p2");
            // made, timed, 20 calls
            Scripted.awaiting("all is told")
                    .until(() -> told.stream().filter("p0"::equals).count() >= 23);
        } finally {
            callers.shutdownNow();
        }
    }

    /** A program that only asks needs sessions, too: answers are listened for. */
    @Test
    void sessionMode_isAsNoPooler() {
        try (PgBouncer pooler = PgBouncer.before(database, "session");
                Processes node =
                        Processes.on(through(pooler)).namespace(orders()).start();
                Processes asking = Processes.on(through(pooler)).start()) {
            node.init("orders", "a", "x");
            assertThat(asking.call("orders", "a", "x").as(String.class)).isEqualTo("answer");
        }
    }
}
