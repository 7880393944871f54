package dev.howdah.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.Database;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WirePipelineTest {
    private static final String SETTING = "SELECT pg_catalog.set_config($1, $2, false)";

    private interface Body {
        void run(WireConnection connection) throws WireException;
    }

    private static void with(int major, Body body) throws Exception {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major));
                WireConnection connection =
                        WireConnection.open(Database.of(database.uri()), Map.of(), Duration.ofSeconds(10))) {
            body.run(connection);
        }
    }

    private static List<WirePipeline.Statement> guard(@Nullable String name, @Nullable String value) {
        return List.of(
                new WirePipeline.Statement("BEGIN", List.of()),
                new WirePipeline.Statement(SETTING, Arrays.asList(name, value)),
                new WirePipeline.Statement("COMMIT", List.of()));
    }

    private static List<String> next(WirePipeline pipeline, WireConnection connection) throws WireException {
        Recorder recorder = new Recorder(connection::charset);
        pipeline.next(recorder);
        return recorder.events;
    }

    private static List<String> ask(WireConnection connection, String sql) throws WireException {
        Recorder recorder = new Recorder(connection::charset);
        connection.query(sql, recorder);
        return recorder.events;
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#majors")
    void guard_succeeds_textsRunEachByItself(int major) throws Exception {
        with(major, connection -> {
            WirePipeline pipeline = connection
                    .pipeline()
                    .guard(guard("application_name", "guarded"))
                    .query("SELECT current_setting('application_name')")
                    .query("VACUUM pg_class") // refuses to run with anything else in one transaction
                    .query("SELECT 1; SELECT 1 / 0")
                    .query("SELECT 2")
                    .send();
            assertThat(pipeline.guarded(3)).isNull();
            assertThat(next(pipeline, connection)).contains("row guarded");
            assertThat(next(pipeline, connection)).containsExactly("VACUUM");
            assertThat(next(pipeline, connection)).anyMatch(event -> event.contains("division by zero"));
            assertThat(next(pipeline, connection)).contains("row 2");
            assertThat(connection.transactionStatus()).isEqualTo('I');
        });
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#majors")
    void guard_fails_nothingElseRuns(int major) throws Exception {
        with(major, connection -> {
            ask(connection, "CREATE TEMP TABLE seen (n int)");
            WirePipeline pipeline = connection
                    .pipeline()
                    .guard(guard("statement_timeout", "-5"))
                    .query("INSERT INTO seen VALUES (1)")
                    .query("COMMIT; INSERT INTO seen VALUES (2)")
                    .send();
            ServerMessage refused = pipeline.guarded(3);
            assertThat(refused).isNotNull().extracting(ServerMessage::code).isEqualTo("22023");
            ask(connection, "ROLLBACK");
            assertThat(ask(connection, "SELECT count(*) FROM seen")).contains("row 0");
        });
    }

    @Test
    void query_thatCannotBeEncoded_sendsNothing() throws Exception {
        with(TestServer.NEWEST, connection -> {
            assertThatThrownBy(() -> connection.pipeline().query("SELECT 1").query("SELECT '\0'"))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(ask(connection, "SELECT 3")).contains("row 3");
        });
    }
}
