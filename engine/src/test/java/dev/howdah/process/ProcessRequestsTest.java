package dev.howdah.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.internal.store.ProcessSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which requests a process accepts in which state: the statement that writes them, called while no node works. */
@PostgresTest
class ProcessRequestsTest {
    private static final List<String> TYPES = List.of("call", "notify", "repair", "remove");

    private static TestDatabase database;

    @BeforeAll
    static void makeTables(TestDatabase made) {
        database = made;
        Processes.on(Scripted.dataSource(database)).start().close();
    }

    private static void process(String id, String status, @Nullable Integer node, int queued) {
        database.execute(
                "INSERT INTO howdah_internal.process (namespace, id, status, previous_status, node, queued, due_at) VALUES (1, '"
                        + id + "', '" + status + "', 'running', " + node + ", " + queued + ", "
                        + (node == null && queued > 0 ? "now()" : "NULL") + ")");
    }

    private record EnterParameters(
            int node,
            Integer[] namespaces,
            String[] ids,
            byte[][] args,
            byte[][] contexts,
            @Nullable Boolean[] backward,
            @Nullable Long[] offsets,
            @Nullable Long[] limits,
            @Nullable String[] keys,
            Boolean[] mine,
            String[] types,
            Boolean[] waits,
            @Nullable String[] traces,
            Long[] tokens) {}

    /** Whether it was accepted. */
    private static boolean request(Connection connection, String type, String id) throws SQLException {
        byte[][] payload = {new byte[0]};
        @Nullable Long[] none = {null};
        try (PreparedStatement statement = ProcessSql.REQUEST
                        .statement("request_enter", EnterParameters.class)
                        .prepare(
                                connection,
                                new EnterParameters(
                                        7,
                                        new Integer[] {1},
                                        new String[] {id},
                                        payload,
                                        payload,
                                        new @Nullable Boolean[] {null},
                                        none,
                                        none,
                                        new @Nullable String[] {null},
                                        new Boolean[] {false},
                                        new String[] {type},
                                        new Boolean[] {true},
                                        new @Nullable String[] {null},
                                        new Long[] {1L}));
                ResultSet row = statement.executeQuery()) {
            return row.next();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "init, 5, 1, remove",
        "init, , 1, remove",
        "running, , 0, call notify remove",
        "running, 5, 1, call notify remove",
        "running, , 1, call notify remove",
        "error, , 0, repair remove",
        "error, 5, 1, remove", // a repair runs
        "error, , 1, remove", // a repair waits for a node
        "error, 5, 0, remove" // its timer runs again
    })
    void process_inAState_acceptsWhatTheStateAllows(String status, @Nullable Integer node, int queued, String accepted)
            throws SQLException {
        String id = status + node + queued;
        process(id, status, node, queued);
        List<String> found = new ArrayList<>();
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            for (String type : TYPES) {
                if (request(connection, type, id)) found.add(type);
                connection.rollback();
            }
        }
        assertThat(found).containsExactly(accepted.split(" "));
    }

    @ParameterizedTest // the second one has seen the process as it was before the first
    @CsvSource({"repair, repair, false", "remove, repair, false", "repair, remove, true", "remove, remove, true"})
    void requests_ofTwoSessionsAtOnce_secondSeesTheFirst(String first, String second, boolean accepted)
            throws Exception {
        String id = first + " " + second;
        process(id, "error", null, 0);
        try (Connection one = database.connect();
                Connection two = database.connect()) {
            one.setAutoCommit(false);
            assertThat(request(one, first, id)).isTrue();
            String pid;
            try (ResultSet row = two.createStatement().executeQuery("SELECT pg_backend_pid()")) {
                row.next();
                pid = row.getString(1);
            }
            CompletableFuture<Boolean> waiting = new CompletableFuture<>();
            new Thread(
                            () -> {
                                try {
                                    waiting.complete(request(two, second, id));
                                } catch (SQLException | RuntimeException e) {
                                    waiting.completeExceptionally(e);
                                }
                            },
                            "second request")
                    .start();
            Scripted.awaiting("the second one waits for the row")
                    .until(() -> "Lock"
                            .equals(database.value("SELECT wait_event_type FROM pg_stat_activity WHERE pid = " + pid)));
            one.commit();
            assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(accepted);
        }
        assertThat(database.value("SELECT queued FROM howdah_internal.process WHERE id = '" + id + "'"))
                .isEqualTo(accepted ? "2" : "1");
    }
}
