package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.health.Cause;
import dev.howdah.sweep.internal.store.SweepSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each cause why a sweep does not go on, on the oldest and the newest major. */
class SweepWhyTest {
    private static List<Cause> causes(TestDatabase database) {
        return Sweeps.on(SweepDatabase.source(database.uri())).why("s");
    }

    /** The first cause, with T for times. */
    private static String why(TestDatabase database) {
        Cause first = causes(database).get(0);
        return first.code() + ": "
                + first.sentence().replaceAll("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d[+-]\\d\\d:\\d\\d", "T");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void sweep_inEachState_saysIt(int major) throws SQLException {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major));
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            SweepSchema.MIGRATIONS.migrate(connection);
            connection.setAutoCommit(true);
            assertThat(why(database)).isEqualTo("unknown: There is no sweep \"s\".");
            database.execute("INSERT INTO howdah.sweep (name, definition) VALUES ('s', '{}')");
            assertThat(why(database)).isEqualTo("no-process: No process works on it.");
            database.execute(
                    "INSERT INTO howdah_internal.sweep_process (sweep, name, workers, locks) VALUES (1, 'p', 3, 10)");
            assertThat(why(database)).isEqualTo("no-process: No process works on it.");
            statement.execute("SELECT pg_advisory_lock(1215264890, 1)");
            assertThat(why(database)).isEqualTo("runs: It runs, with 3 workers; 0 rows are done.");
            database.execute("UPDATE howdah.sweep SET throttle = 5");
            assertThat(why(database)).isEqualTo("throttle: It works on at most 5 rows a second.");
            assertThat(causes(database).get(0).remedy())
                    .isEqualTo("Change the limit while it runs: on its page, or with howdah sweep throttle.");
            database.execute("INSERT INTO howdah.sweep_error (sweep, key, error, retry_at)"
                    + " VALUES (1, '{7}', 'no luck', now() + interval '1 hour')");
            assertThat(why(database)).isEqualTo("rows-failed: 1 row has failed and is tried again, the next at T.");
            database.execute("UPDATE howdah.sweep SET stamp_key = '{42}'");
            assertThat(why(database)).isEqualTo("stamping: It stamps the rows of its run, and has come to 42.");
            database.execute("UPDATE howdah_internal.sweep_process SET held = 'a standby is 12 s behind'");
            assertThat(why(database)).isEqualTo("held: Process 1 (p) pauses for a while: a standby is 12 s behind.");
            assertThat(causes(database))
                    .extracting(Cause::code)
                    .containsExactly("held", "stamping", "rows-failed", "throttle", "runs");
            assertThat(Sweeps.on(SweepDatabase.source(database.uri())).pause("s"))
                    .isTrue();
            assertThat(why(database)).isEqualTo("paused: It is paused since T, by postgres.");
            assertThat(Sweeps.on(SweepDatabase.source(database.uri())).resume("s"))
                    .isTrue();
            assertThat(why(database)).startsWith("held: ");
            assertThat(Sweeps.on(SweepDatabase.source(database.uri())).stop("s"))
                    .isTrue();
            assertThat(why(database)).isEqualTo("stopped: It was stopped at T.");
            database.execute("UPDATE howdah.sweep SET state = 'failed', error = 'no such column'");
            assertThat(why(database)).isEqualTo("failed: It has failed: no such column.");
            database.execute("UPDATE howdah.sweep SET state = 'done', ended = now()");
            assertThat(why(database)).isEqualTo("ended: It is done since T.");
        }
    }
}
