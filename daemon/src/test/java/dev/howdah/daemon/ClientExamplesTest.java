package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.ClientLanguage;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The examples of each client library, which the documents quote, against a daemon. */
@PostgresTest
@Tag("long")
@ParameterizedClass
@EnumSource
class ClientExamplesTest {
    private final ClientLanguage language;
    private final TestDatabase database;
    private final Path home;
    private final List<Process> started = new ArrayList<>();
    private HowdahProcess daemon;
    private Map<String, String> words = Map.of();

    ClientExamplesTest(ClientLanguage language, TestDatabase database, @TempDir Path home) {
        this.language = language;
        this.database = database;
        this.home = home;
    }

    @BeforeEach
    void start() throws Exception {
        assumeThat(language.missing()).isEmpty();
        try (Connection connection = database.connect()) {
            Jobs.install(connection);
        }
        daemon = HowdahProcess.start(
                home, Map.of(), "up", "--url", database.uri(), "--port", "0", "--console-login", "token", "--json");
        words = Map.of(
                "http://127.0.0.1:8080",
                "http://" + URI.create(daemon.ready().get("console")).getAuthority(),
                "postgresql://postgres@db.example/shop",
                database.uri());
    }

    @AfterEach
    void stop() {
        started.forEach(Process::destroyForcibly);
        if (daemon != null) daemon.close();
    }

    private Process start(String example) throws IOException {
        String token = CommandLineRun.of("token", "add", example, "--role", "administrator", "--url", database.uri())
                .out()
                .strip();
        Process process = language.program(
                        language.example(example, home, words), List.of(), Map.of("HOWDAH_TOKEN", token))
                .redirectOutput(said(example).toFile())
                .start();
        started.add(process);
        return process;
    }

    private Path said(String example) {
        return home.resolve(example + ".said");
    }

    private String ran(Process process, String example) throws IOException, InterruptedException {
        boolean ended = process.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
        String said = Files.readString(said(example));
        assertThat(ended && process.exitValue() == 0).as(said).isTrue();
        return said;
    }

    private void awaitDone(String kind, int jobs) {
        await().atMost(Patience.LIMIT)
                .until(() -> String.valueOf(jobs)
                        .equals(database.value(
                                "SELECT count(*) FROM howdah.jobs WHERE state = 'done' AND kind = '" + kind + "'")));
    }

    @Test
    void first_addsAJob_andWorksIt_untilItIsToldToStop() throws Exception {
        Process first = start("first");
        awaitDone("greet", 1);
        first.destroy();
        assertThat(ran(first, "first")).startsWith("added ");
        assertThat(Files.readString(language.folder().resolve("README.md")))
                .contains(Files.readString(language.example("first")));
    }

    @Test
    void produceAndWork_doEachJobOnce() throws Exception {
        Process work = start("work");
        assertThat(ran(start("produce"), "produce"))
                .startsWith("done {")
                .contains("7")
                .contains("conflict");
        awaitDone("invoice", 4);
        work.destroy();
        assertThat(ran(work, "work")).contains("began ");
    }

    @Test
    void order_sleeps_waitsForItsApproval_andForItsChildren() throws Exception {
        Process order = start("order");
        awaitDone("order", 1);
        order.destroy();
        assertThat(ran(order, "order")).doesNotContain("Traceback", "Error");
        assertThat(database.value("SELECT (result->>'payment') || ' ' || (result->>'grams') FROM howdah.jobs"
                        + " WHERE kind = 'order'"))
                .isEqualTo("payment 17 300");
        assertThat(database.value("SELECT count(*) FROM howdah.jobs WHERE kind = 'parcel' AND state = 'done'"))
                .isEqualTo("2");
    }

    @Test
    void transaction_addsItsJobs_whenItCommits() throws Exception {
        if (language == ClientLanguage.PYTHON)
            assumeThat(Path.of("/usr/lib/python3/dist-packages/psycopg2"))
                    .as("psycopg2")
                    .exists();
        database.execute("CREATE TABLE wallet AS SELECT 7 AS id, 100 AS cents");
        assertThat(ran(start("transaction"), "transaction")).matches("(?i)true\\R2\\R");
        assertThat(database.value("SELECT cents FROM wallet")).isEqualTo("50");
        assertThat(database.value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("3");
    }
}
