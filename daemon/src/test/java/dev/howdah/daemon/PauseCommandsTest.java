package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code howdah pause --all}, {@code howdah resume --all} and {@code howdah up --paused}. */
@PostgresTest
class PauseCommandsTest {
    @Test
    void pause_all_isUndoneByResume(TestDatabase database) {
        String name = database.name();
        CommandLineRun paused =
                CommandLineRun.of("pause", "--all", "--url", database.uri(), "--reason", "a copy\nfor tests");
        assertThat(paused.out()).isEqualTo(name + ": paused\n");
        assertThat(CommandLineRun.of("pause", "--all", "--url", database.uri()).out())
                .startsWith(name + ": it was paused since ")
                .endsWith(" by postgres: a copy for tests already\n");
        CommandLineRun doctor = CommandLineRun.of("doctor", "--url", database.uri());
        assertThat(doctor.out())
                .contains("warning   paused            Nothing of Howdah begins here, everything is paused since ")
                .contains("> howdah resume --all, or DROP VIEW howdah.paused;");
        assertThat(CommandLineRun.of("resume", "--all", "--url", database.uri(), "--json")
                        .out())
                .isEqualTo("{\"database\":\"" + name + "\",\"schema\":\"howdah\",\"changed\":true}\n");
        assertThat(CommandLineRun.of("resume", "--all", "--url", database.uri()).out())
                .isEqualTo(name + ": it was not paused\n");
        assertThat(CommandLineRun.of("pause", "--url", database.uri()).err()).contains("--all");
    }

    @Test
    void pause_all_alsoPausesOtherDatabasesAndAnotherSchema(TestDatabase database) {
        try (TestDatabase other = TestDatabase.create(database.server())) {
            other.execute("SELECT 1");
            String list = "[{\"data\":\"" + database.name() + "\"},{\"data\":\"" + other.name() + "\"}]";
            assertThat(CommandLineRun.of(
                                    "pause",
                                    "--all",
                                    "--url",
                                    database.uri(),
                                    "--tables",
                                    list,
                                    "--installation",
                                    "apart")
                            .out())
                    .contains(other.name() + ": paused\n", database.name() + ", schema apart: paused\n");
            assertThat(other.value("SELECT to_regclass('howdah.paused') IS NOT NULL"))
                    .isEqualTo("t");
        }
    }

    @Test
    void pause_ofAStrangersRelation_isRefused(TestDatabase database) {
        database.execute("CREATE SCHEMA howdah; CREATE TABLE howdah.paused ()");
        CommandLineRun refused = CommandLineRun.of("pause", "--all", "--url", database.uri());
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).contains("howdah.paused is a table of role postgres and pauses nothing");
        CommandLineRun doctor = CommandLineRun.of("doctor", "--url", database.uri());
        assertThat(doctor.out()).contains("critical  paused            howdah.paused is a table of role postgres");
    }

    @Test
    void up_paused_runsNothing_untilItIsResumed(TestDatabase database, @TempDir Path home) throws Exception {
        database.execute("SELECT 1");
        try (HowdahProcess up = HowdahProcess.start(
                home, Map.of(), "up", "--url", database.uri(), "--metrics-port", "0", "--paused", "--json")) {
            assertThat(up.ready()).containsEntry("state", "paused");
            up.says("nothing of public.task runs, everything in its database is paused since ");
            assertThat(MonitoringServerTest.ask(up, "/ready"))
                    .startsWith("200 ready, but public.task: paused since ")
                    .endsWith(" by postgres: howdah up --paused\n");
            assertThat(MonitoringServerTest.ask(up, "/metrics")).containsPattern("howdah_paused\\{.*} 1.0");
            assertThat(database.value("SELECT to_regclass('public.task')")).isNull();
            assertThat(CommandLineRun.of("resume", "--all", "--url", database.uri())
                            .out())
                    .isEqualTo(database.name() + ": resumed\n");
            up.says("tasks of public.task run");
            database.execute("INSERT INTO task (input) VALUES ('SELECT 1')");
            await().until(() -> "DONE".equals(database.value("SELECT state FROM task")));
            await().untilAsserted(() ->
                    assertThat(MonitoringServerTest.ask(up, "/ready")).isEqualTo("200 ready\n"));
        }
    }
}
