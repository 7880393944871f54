package dev.howdah.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The lock of a node of processes, held by a role that may connect, and nothing else. */
@PostgresTest
@Tag("long")
class ProcessForeignRoleTest {
    private final TestDatabase database;
    private final String mallory;

    ProcessForeignRoleTest(TestDatabase database) {
        this.database = database;
        this.mallory = "mallory_" + database.name();
    }

    @BeforeEach
    void makeRole() {
        database.execute("CREATE ROLE \"" + mallory + "\" LOGIN");
    }

    @AfterEach
    void dropRole() {
        database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + mallory
                + "'; DROP ROLE \"" + mallory + "\"");
    }

    private Connection mallory() throws Exception {
        PGSimpleDataSource source = Scripted.source(database);
        source.setUser(mallory);
        return source.getConnection();
    }

    @Test // otherwise the node would seem to live, and its call would never be answered
    void lockOfADeadNode_heldByAnotherRole_sessionIsEndedAndTheCallGoesOn() throws Exception {
        try (Processes client = Processes.on(Scripted.dataSource(database))
                        .nodeName("client")
                        .start();
                Connection holder = mallory();
                Statement statement = holder.createStatement()) {
            CompletableFuture<String> call;
            try (ProcessProgram dead = ProcessProgram.at(database.uri(), true)) {
                client.init(ProcessProgram.NAMESPACE, "call", "");
                Request request = Request.of(ProcessProgram.NAMESPACE, "call")
                        .args("hang")
                        .timeout(Duration.ofMinutes(4));
                call = CompletableFuture.supplyAsync(() -> client.call(request).as(String.class));
                dead.awaitSaid("began call");
                Object id = database.value("SELECT max(node) FROM howdah_internal.process WHERE id = 'call'");
                // The lock is asked for while the node has it: no other session gets it in between.
                CompletableFuture<Void> locked = CompletableFuture.runAsync(() -> {
                    try {
                        statement.execute("SELECT pg_advisory_lock(1215264874, " + id + ")");
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
                Awaitility.await("it waits for the lock")
                        .atMost(1, TimeUnit.MINUTES)
                        .until(() -> String.valueOf(database.value(
                                        "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
                                                + " WHERE a.usename = '" + mallory
                                                + "' AND l.locktype = 'advisory' AND NOT l.granted"))
                                .equals("1"));
                dead.kill();
                locked.get(1, TimeUnit.MINUTES);
            }
            try (Processes survivor = Processes.on(Scripted.dataSource(database))
                    .namespace(ProcessProgram.namespace(false, true))
                    .start()) {
                assertThat(call.get(3, TimeUnit.MINUTES)).isEqualTo("done");
                assertThat(survivor.get(ProcessProgram.NAMESPACE, "call").lastEventId())
                        .isEqualTo(1);
            }
            assertThat(holder.isValid(30)).isFalse();
        }
    }
}
