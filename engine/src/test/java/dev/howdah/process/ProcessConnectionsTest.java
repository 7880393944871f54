package dev.howdah.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The connections that processes keep and borrow, counted on the server. */
@PostgresTest
class ProcessConnectionsTest {
    private static final int CALLERS = 6;

    private final TestDatabase database;

    ProcessConnectionsTest(TestDatabase database) {
        this.database = database;
    }

    private PGSimpleDataSource named(String name) {
        PGSimpleDataSource source = Scripted.source(database);
        source.setApplicationName(name);
        return source;
    }

    private long sessions(String name) {
        return Long.parseLong(Objects.requireNonNull(
                database.value("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND application_name = '" + name + "'")));
    }

    private static Namespace counter(String name) {
        return Namespace.of(name, (task, process) -> switch (task.type()) {
            case CALL -> Intent.none().event("called").response(process.lastEventId() + 1);
            default -> Intent.none();
        });
    }

    /** Four, one for each namespace with a publisher, and one in passing to remove what has finished. */
    @Test
    void node_idleAndBusy_keepsTheConnectionsThatTheGuideNames() {
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        try (Processes processes = Processes.on(named("calls"))
                .sessionDataSource(named("kept"))
                .namespace(counter("plain"))
                .namespace(counter("told"), notices -> {})
                .start()) {
            processes.init("plain", "a", null);
            processes.init("told", "a", null);
            List<CompletableFuture<?>> calls = new ArrayList<>();
            for (int i = 0; i < 600; i++) {
                String namespace = i % 2 == 0 ? "plain" : "told";
                calls.add(CompletableFuture.runAsync(() -> processes.call(namespace, "a", "x"), callers));
            }
            CompletableFuture<?> all = CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new));
            long mostKept = 0;
            long mostCalls = 0;
            while (!all.isDone()) {
                mostKept = Math.max(mostKept, sessions("kept"));
                mostCalls = Math.max(mostCalls, sessions("calls"));
            }
            all.join();
            assertThat(mostKept).as("busy").isBetween(3L, 6L);
            assertThat(mostCalls)
                    .as("one for each call, and one that asks for answers")
                    .isLessThanOrEqualTo(CALLERS + 1);
            Scripted.awaiting("calls keep none").until(() -> sessions("calls") == 0);
            Scripted.awaiting("both that write, the one that listens, the one that looks, the publisher's")
                    .until(() -> sessions("kept") == 5);
        } finally {
            callers.shutdownNow();
        }
        Scripted.awaiting("none is left").until(() -> sessions("kept") == 0);
    }

    @Test
    void program_thatOnlyAsks_keepsOneThatListensAndTwoThatWrite() {
        try (Processes node =
                        Processes.on(named("node")).namespace(counter("plain")).start();
                Processes asking = Processes.on(named("calls"))
                        .sessionDataSource(named("kept"))
                        .start()) {
            node.init("plain", "a", null);
            for (int i = 1; i <= 20; i++)
                assertThat(asking.call("plain", "a", "x").as(Long.class)).isEqualTo(i);
            assertThat(sessions("kept")).isBetween(1L, 3L);
            Scripted.awaiting("calls keep none").until(() -> sessions("calls") == 0);
        }
        Scripted.awaiting("none is left").until(() -> sessions("kept") == 0);
    }
}
