package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.daemon.console.Json;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code howdah up} as its user meets it: a process, its output, its signals, its files. */
@PostgresTest
class UpTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    private final List<HowdahProcess> started = new ArrayList<>();

    private HowdahProcess howdah(String... arguments) throws IOException {
        return howdah(Map.of(), arguments);
    }

    private HowdahProcess howdah(Map<String, String> environment, String... arguments) throws IOException {
        HowdahProcess process = HowdahProcess.start(home, environment, arguments);
        started.add(process);
        return process;
    }

    /** A command that ends by itself, without an error. */
    private String done(String... arguments) {
        CommandLineRun run = CommandLineRun.of("", Map.of("HOME", home.toString()), arguments);
        assertThat(run.exitCode())
                .as("%s: %s", Arrays.asList(arguments), run.err())
                .isZero();
        return run.out();
    }

    @AfterEach
    void endAll() {
        started.forEach(HowdahProcess::close);
    }

    @Test
    void up_ownPostgres_runsTasksSurvivesKillAndStopsCleanly() throws Exception {
        Path data = home.resolve("some data");
        HowdahProcess first = howdah("up", "--data", data.toString(), "--pg-port", "0", "--json");
        Map<String, String> ready = first.ready();
        assertThat(ready)
                .containsEntry("state", "active")
                .containsEntry("schema", "public")
                .containsEntry("table", "task")
                .containsEntry("pid", Long.toString(first.pid()))
                .containsKey("version");
        assertThat(ready.get("postgres")).matches("postgresql://postgres@127\\.0\\.0\\.1:\\d+/postgres");
        Path runtime = data.resolve("howdah.json");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(runtime)))
                .isEqualTo("rw-------");

        assertThat(done("task", "add", "--data", data.toString(), "--wait", "SELECT 20 + 22"))
                .isEqualTo("42\n");
        done("sql", "--data", data.toString(), "CREATE TABLE kept AS SELECT 'still here' AS word");

        HowdahProcess second = howdah("up", "--data", data.toString());
        assertThat(second.exitCode()).isEqualTo(1);
        assertThat(second.err())
                .startsWith("howdah: " + data)
                .contains("is in use by process " + first.pid())
                .hasLineCount(1);

        first.kill();
        HowdahProcess third = howdah("up", "--data", data.toString(), "--pg-port", "0", "--json");
        third.ready();
        assertThat(done("sql", "--data", data.toString(), "TABLE kept")).contains("still here");
        assertThat(done("task", "list", "--data", data.toString()))
                .contains("SELECT 20 + 22")
                .contains("DONE");

        third.terminate();
        assertThat(third.exitCode()).isZero();
        assertThat(runtime).doesNotExist();
        assertThat(data.resolve("data").resolve("postmaster.pid")).doesNotExist();
    }

    @Test
    void up_postgresDies_startsItAgain() throws Exception {
        HowdahProcess up = howdah("up", "--pg-port", "0", "--metrics-port", "0", "--json");
        up.ready();
        assertThat(metrics(up)).contains("howdah_embedded_up 1.0\n", "howdah_embedded_restarts_total 0.0\n");
        long postmaster = Long.parseLong(
                Files.readAllLines(home.resolve(".howdah/data/postmaster.pid")).get(0));
        ProcessHandle.of(postmaster).orElseThrow().destroyForcibly();
        up.says("PostgreSQL is back");
        assertThat(done("task", "add", "--wait", "SELECT 'again'")).isEqualTo("again\n");
        assertThat(metrics(up)).contains("howdah_embedded_up 1.0\n", "howdah_embedded_restarts_total 1.0\n");
        up.terminate();
        assertThat(up.exitCode()).isZero();
    }

    private static String metrics(HowdahProcess up) throws Exception {
        Matcher port = Pattern.compile("metrics are at (http://127\\.0\\.0\\.1:\\d+/metrics)")
                .matcher(up.err());
        assertThat(port.find()).as(up.err()).isTrue();
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(port.group(1))).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void up_portInUse_saysSoAndFails() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            HowdahProcess up = howdah("up", "--pg-port", Integer.toString(other.getLocalPort()));
            assertThat(up.exitCode()).isEqualTo(1);
            assertThat(up.err())
                    .contains("port " + other.getLocalPort())
                    .contains("--pg-port")
                    .hasLineCount(1);
        }
    }

    @Test
    void up_databaseThatIsThere_isServedAndFoundByOtherCommands(TestDatabase database) throws Exception {
        HowdahProcess up = howdah("up", "--url", database.uri(), "--schema", "work", "--json");
        assertThat(up.ready()).containsEntry("state", "active").doesNotContainKey("data");
        assertThat(done("task", "add", "--wait", "SELECT current_database()")).isEqualTo(database.name() + "\n");

        HowdahProcess standby = howdah("up", "--url", database.uri(), "--schema", "work", "--json");
        assertThat(standby.ready()).containsEntry("state", "standby");
        up.kill();
        standby.says("tasks of work.task run here now");
        standby.terminate();
        assertThat(standby.exitCode()).isZero();
        try (Stream<Path> files = Files.list(home.resolve(".howdah"))) {
            assertThat(files.map(file -> String.valueOf(file.getFileName())))
                    .containsExactly("howdah-" + up.pid() + ".json");
        }
        assertThat(CommandLineRun.of("", Map.of("HOME", home.toString()), "task", "list")
                        .err())
                .startsWith("howdah: no howdah is running");
    }

    @Test
    void up_frozen_anotherTakesOverWithinItsLeaseAndTheFrozenOneStandsBy(TestDatabase database) throws Exception {
        HowdahProcess first = howdah("up", "--url", database.uri(), "--lease", "2", "--json");
        assertThat(first.ready()).containsEntry("state", "active");
        HowdahProcess second = howdah(Map.of("HOWDAH_LEASE", "2"), "up", "--url", database.uri(), "--json");
        assertThat(second.ready()).containsEntry("state", "standby");
        first.freeze();
        second.says("did not answer: its session is ended");
        second.says("tasks of public.task run here now");
        first.thaw();
        first.says("standing by: tasks of public.task are run by process");
        first.terminate();
        assertThat(first.exitCode()).isZero();
    }

    @Test
    void up_databaseNotThere_keepsTryingAndSaysWhy() throws Exception {
        HowdahProcess up = howdah("up", "--url", "postgresql://me:hidden@127.0.0.1:1/x");
        up.says("127.0.0.1:1");
        assertThat(up.err()).contains("PGPASSWORD").contains("trying again").doesNotContain("hidden");
        up.terminate();
        assertThat(up.exitCode()).isZero();
        assertThat(up.out()).isEmpty();
    }

    @Test
    void up_hostIsUnknown_saysWhichAndForWhichDatabase() throws Exception {
        HowdahProcess up = howdah("up", "--url", "postgresql://me@no-such-host.invalid/shop");
        up.says("unknown host \"no-such-host.invalid\"");
        assertThat(up.err()).contains("database \"shop\" at no-such-host.invalid:5432 as user \"me\"");
        up.terminate();
        assertThat(up.exitCode()).isZero();
    }

    @Test
    void up_passwordWanted_isInTheFileOfTheUriOnly() throws Exception {
        HowdahProcess up = howdah(Map.of("HOWDAH_PG_AUTH", "password"), "up", "--pg-port", "0", "--json");
        String postgres = up.ready().getOrDefault("postgres", "");
        assertThat(postgres).contains("?passfile=");
        assertThat(done("sql", "SELECT 'let in'")).contains("let in");

        String without = postgres.replaceFirst("\\?.*", "");
        HowdahProcess stranger = howdah(Map.of("PGPASSWORD", "wrong"), "up", "--url", without);
        stranger.says("password authentication failed");
        assertThat(stranger.err()).contains("trying again");
        stranger.terminate();
        assertThat(stranger.exitCode()).isZero();
    }

    @Test // what Prometheus sees of it; with processes it is one node
    void up_withQueuesAndMetrics_worksJobsAndShowsFigures(TestDatabase database) throws Exception {
        WorkedJobs.secret(home, "a secret of enough characters, as a key has to have");
        Path processes = Files.writeString(
                home.resolve("processes.json"),
                "[{\"namespace\": \"shop\", \"url\": \"http://127.0.0.1:9/step\", \"secret\": \"secret\"}]");
        String role = database.name() + "_clerk";
        database.execute(
                "CREATE ROLE " + role + " LOGIN; CREATE TABLE told (job int); GRANT INSERT ON told TO " + role);
        try {
            HowdahProcess up = howdah(
                    Map.of("HOWDAH_SQL_ROLE", role),
                    "up",
                    "--url",
                    database.uri(),
                    "--queues",
                    "books,q",
                    "--processes",
                    processes.toString(),
                    "--metrics-port",
                    "0",
                    "--json");
            up.ready();
            up.says("running jobs of [books, q]; sql as " + role);
            up.says("running processes:");
            assertThat(database.value(
                            "SELECT count(*) || ' ' || min(array_length(features, 1)) FROM howdah_internal.node"))
                    .isEqualTo("1 2");
            done(
                    "job",
                    "add",
                    "sql",
                    "{\"sql\": \"INSERT INTO told VALUES ($1)\", \"parameters\": [7]}",
                    "--queue",
                    "q");
            done("task", "add", "--wait", "SELECT 1");
            Awaitility.await()
                    .atMost(Patience.LIMIT)
                    .untilAsserted(() -> assertThat(metrics(up))
                            .contains(
                                    "howdah_jobs_ended_total{kind=\"sql\",outcome=\"done\",queue=\"q\"} 1.0\n",
                                    "howdah_job_seconds_count{kind=\"sql\",queue=\"q\"} 1\n",
                                    "howdah_jobs_waiting{queue=\"books\"} 0.0\n",
                                    "howdah_tasks_ended_total{database=\"" + database.name()
                                            + "\",outcome=\"done\",table=\"public.task\"} 1.0\n",
                                    "# TYPE howdah_task_seconds histogram\n"));
            assertThat(database.value("SELECT job FROM told")).isEqualTo("7");
            up.terminate();
            assertThat(up.exitCode()).isZero();
            assertThat(database.value("SELECT count(*) FROM howdah_internal.node"))
                    .isEqualTo("0");
        } finally {
            started.forEach(HowdahProcess::close);
            database.execute("DROP OWNED BY " + role + " CASCADE; DROP ROLE " + role);
        }
    }

    @Tag("long")
    @Test
    void log_asJson_isOneObjectOnEachLine() throws Exception {
        Path data = home.resolve("data");
        Files.createDirectories(data);
        Files.writeString(data.resolve("howdah.properties"), "log-format=json\nallow=https://api.example/*\n");
        HowdahProcess process = howdah("up", "--data", data.toString(), "--pg-port", "0", "--port=0", "--json");
        process.ready();
        CommandLineRun.of(
                "", Map.of("HOME", home.toString()), "task", "add", "--data", data.toString(), "SELECT 1 / 0");
        process.says("task 1 has failed: SQLSTATE 22012");
        CommandLineRun.of(
                "",
                Map.of("HOME", home.toString()),
                "task",
                "add",
                "--data",
                data.toString(),
                "--remote",
                "https://other.example/v1?x=s3cr3t",
                "s3cr3t");
        process.says("task 2 has failed: https://other.example/v1, the column error of its row says why");
        process.terminate();
        assertThat(process.exitCode()).isZero();
        for (String line : process.err().lines().toList())
            assertThat(Json.texts(line)).containsKeys("time", "level", "logger", "thread", "message");
        assertThat(process.err()).contains("\"message\":\"stopping\"").doesNotContain("s3cr3t", "SELECT 1 / 0");
    }

    @Test
    void logFormat_unknown_isRefused() throws Exception {
        HowdahProcess process = howdah("up", "--log-format", "xml");
        assertThat(process.exitCode()).isEqualTo(2);
        assertThat(process.err()).startsWith("howdah: --log-format has to be text or json, not \"xml\"");
    }
}
