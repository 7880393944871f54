package dev.howdah.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.health.Cause;
import dev.howdah.process.internal.store.ProcessSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each cause why a process does nothing, on the oldest and the newest major. */
class ProcessWhyTest {
    private static List<Cause> causes(TestDatabase database, String id) {
        return ProcessReader.on(Scripted.source(database)).why("ns", id);
    }

    /** The first cause, with T for times. */
    private static String why(TestDatabase database, String id) {
        Cause first = causes(database, id).get(0);
        return first.code() + ": "
                + first.sentence().replaceAll("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d[+-]\\d\\d:\\d\\d", "T");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void process_inEachState_saysIt(int major) throws SQLException {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major));
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            ProcessSchema.MIGRATIONS.migrate(connection);
            connection.setAutoCommit(true);
            assertThat(why(database, "p")).isEqualTo("unknown: There is no namespace \"ns\".");
            database.execute("INSERT INTO howdah_internal.process_namespace (name) VALUES ('ns')");
            assertThat(why(database, "p")).isEqualTo("unknown: There is no process \"p\" in namespace \"ns\".");
            database.execute(
                    "INSERT INTO howdah_internal.process (namespace, id, status, previous_status, lane, queued, due_at)"
                            + " VALUES (1, 'p', 'running', 'init', 0, 1, now())");
            assertThat(why(database, "p")).isEqualTo("no-node: No living node works namespace \"ns\".");
            database.execute("INSERT INTO howdah_internal.node (name, features, serves)"
                    + " VALUES ('n', '{process}', '{\"process\": {\"ns\": 1}}')");
            assertThat(why(database, "p")).isEqualTo("no-node: No living node works namespace \"ns\".");
            statement.execute("SELECT pg_advisory_lock(1215264874, 1)");
            assertThat(why(database, "p")).isEqualTo("due: It is due since T, and nothing known stands in its way.");
            database.execute(
                    "INSERT INTO howdah_internal.process (namespace, id, status, previous_status, lane, queued, due_at)"
                            + " VALUES (1, 'earlier', 'running', 'init', 0, 1, now() - interval '1 hour')");
            assertThat(why(database, "p")).isEqualTo("behind: One process goes before it: they were due earlier.");
            database.execute(
                    "UPDATE howdah_internal.process SET node = 1, due_at = NULL, taken = now() WHERE id = 'earlier'");
            assertThat(why(database, "earlier")).isEqualTo("runs: A step of it runs on node 1 (n) since T.");
            assertThat(why(database, "p"))
                    .isEqualTo("busy: All 1 slots of the nodes that work namespace \"ns\" are busy.");
            database.execute("UPDATE howdah_internal.process SET node = 7 WHERE id = 'earlier'");
            assertThat(why(database, "earlier")).startsWith("node-died: Node 7 had it, and is dead");
            database.execute("UPDATE howdah_internal.process SET due_at = now() + interval '1 hour' WHERE id = 'p'");
            assertThat(why(database, "p")).isEqualTo("retrying: Its next step is due at T.");
            database.execute(
                    "UPDATE howdah_internal.process SET timer_type = 'timeout', timer_at = now() WHERE id = 'p'");
            assertThat(causes(database, "p"))
                    .extracting(Cause::sentence)
                    .contains("Its timer (timeout) waits until 1 call has ended.");
            database.execute(
                    "UPDATE howdah_internal.process SET lane = 1, queued = 0, timer_at = due_at WHERE id = 'p'");
            assertThat(why(database, "p")).isEqualTo("timer: It waits for its timer (timeout), due at T.");
            database.execute(
                    "UPDATE howdah_internal.process SET lane = 2, timer_type = NULL, timer_at = NULL WHERE id = 'p'");
            assertThat(why(database, "p")).isEqualTo("idle: It has nothing to do: no timer, no call.");
            database.execute("INSERT INTO howdah.process_held (namespace, notice, process, reason)"
                    + " VALUES (1, 1, 'p', 'refused with 400')");
            assertThat(causes(database, "p")).extracting(Cause::code).containsExactly("idle", "notice-held");
            database.execute("UPDATE howdah_internal.process SET status = 'error', detail = 'no luck' WHERE id = 'p'");
            assertThat(why(database, "p")).isEqualTo("broken: It is broken since T: no luck.");
            database.execute("DELETE FROM howdah_internal.process WHERE id = 'p'; INSERT INTO howdah.process_archive"
                    + " (number, namespace, last_event, created, finished, id) VALUES (1, 1, 0, now(), now(), 'p')");
            assertThat(why(database, "p")).isEqualTo("ended: It was finished at T, and is in the archive.");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void node_saysWhatItServes(int major) {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major));
                Scripted scripted = Scripted.in(database)) {
            await().until(() -> "t"
                    .equals(database.value(
                            "SELECT serves -> 'process' ? '" + Scripted.NAMESPACE + "' FROM howdah_internal.node")));
            assertThat(scripted).isNotNull();
        }
    }
}
