package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.howdah.Database;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.FatalException;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.process.Action;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.task.TaskScheduler;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;
import picocli.CommandLine;

/** Each command that lists has the same options, which do the same; each is tried with a row at least. */
@PostgresTest
@Tag("long")
class ListOptionsTest {
    /** What lists need beside their options. */
    private static final Map<String, List<String>> WORDS = Map.ofEntries(
            Map.entry("task schedule log", List.of("nightly")),
            Map.entry("job log", List.of("1")),
            Map.entry("job list", List.of("--state", "waiting")),
            Map.entry("job schedule jobs", List.of("daily")),
            Map.entry("process notices", List.of("orders")),
            Map.entry("job calendar show", List.of("holidays")),
            Map.entry("job schedule next", List.of("daily")),
            Map.entry("process list", List.of("orders")),
            Map.entry("process timers", List.of("orders")),
            Map.entry("process trace", List.of("orders", "a")),
            Map.entry("sweep errors", List.of("divide")),
            Map.entry("sweep history", List.of("divide")),
            Map.entry("reach list", List.of("--allow", "https://api.example/v1/*")));

    /** Lists that are empty while no node runs, no notice is refused, and no time of a schedule has come. */
    private static final Set<String> OF_NODES = Set.of("node list", "process notices", "job schedule jobs");

    private static final Kind<String> WORK = Kind.of("work", String.class);

    private final TestDatabase database;

    ListOptionsTest(TestDatabase database) {
        this.database = database;
        database.fill("lists", ListOptionsTest::fill);
    }

    static Stream<String> lists() {
        PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), false, StandardCharsets.UTF_8);
        Terminal terminal = new Terminal(nowhere, nowhere, new ByteArrayInputStream(new byte[0]), Map.of());
        return lists(Main.commandLine(terminal, false)).sorted();
    }

    private static Stream<String> lists(CommandLine line) {
        Stream<String> below = line.getSubcommands().values().stream().flatMap(ListOptionsTest::lists);
        return line.getCommandSpec().findOption("--columns") == null
                ? below
                : Stream.concat(Stream.of(line.getCommandSpec().qualifiedName().substring("howdah ".length())), below);
    }

    private CommandLineRun run(String list, String... options) {
        List<String> words = new ArrayList<>(List.of(list.split(" ", -1)));
        words.addAll(WORDS.getOrDefault(list, List.of()));
        if (!list.startsWith("reach ")) words.addAll(List.of("--url", database.uri()));
        words.addAll(List.of(options));
        return CommandLineRun.of(words.toArray(String[]::new));
    }

    private String well(String list, String... options) {
        CommandLineRun run = run(list, options);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    @ParameterizedTest
    @MethodSource("lists")
    void options_ofEachList_doTheSame(String list) throws Exception {
        try (Connection holder = database.connect();
                Statement statement = holder.createStatement()) {
            statement.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 17");
            List<String> names = heading(well(list, "--csv"));
            assertThat(names).hasSizeGreaterThan(0).allMatch(each -> each.matches("[a-z]+(_[a-z]+)*"));
            List<String> rows = well(list, "--json").lines().toList();
            assertThat(rows.isEmpty()).as(list).isEqualTo(OF_NODES.contains(list));
            assertThat(rows).allSatisfy(each -> assertThat(names(each)).isEqualTo(names));
            List<String> shown = headingOfTable(well(list));
            assertThat(names).containsSubsequence(shown);
            List<String> turned = new ArrayList<>(names);
            Collections.reverse(turned);
            String columns = String.join(",", turned);
            assertThat(heading(well(list, "--csv", "--columns", columns))).isEqualTo(turned);
            assertThat(headingOfTable(well(list, "--columns", columns))).isEqualTo(turned);
            for (String form : List.of("--csv", "--json", "--verbose")) {
                CommandLineRun wrong = run(list, form, "--columns", names.get(0) + ",nothing");
                assertThat(wrong.exitCode()).isEqualTo(2);
                assertThat(wrong.out() + wrong.err())
                        .contains("there is no column", "nothing", ", but " + String.join(", ", names));
            }
            assertThat(run(list, "--csv", "--json").exitCode()).isEqualTo(2);
        }
    }

    private static List<String> heading(String csv) {
        return List.of(csv.substring(0, csv.indexOf("\r\n")).split(",", -1));
    }

    private static List<String> headingOfTable(String table) {
        return List.of(table.lines().findFirst().orElse("").strip().split(" *\\| *", -1));
    }

    private static List<String> names(String object) {
        List<String> names = new ArrayList<>();
        try (JsonParser parser = Json.parser(object)) {
            assertThat(parser.nextToken()).isEqualTo(JsonToken.START_OBJECT);
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                names.add(parser.currentName());
                parser.nextToken();
                parser.skipChildren();
            }
        } catch (IOException e) {
            throw new AssertionError(object, e);
        }
        return names;
    }

    private static void fill(TestDatabase database) {
        String[][] commands = {
            {"job", "install"},
            {"sweep", "install"},
            {"process", "install"},
            {"token", "add", "ann", "--role", "viewer"},
            {"job", "retention", "put", "done", "30 days", "--queue", "mail"},
            {"job", "schedule", "put", "daily", "report", "{}", "--cron", "0 3 * * *"},
            {"job", "count-tag", "eu"},
            {"job", "calendar", "add", "holidays", "2026-12-25"},
            {"job", "limit", "concurrency", "mail", "10"},
            {"job", "log-queue", "create", "clicks", "--keep", "7 days"},
            {"job", "pipeline", "put", "import", "[{\"name\": \"a\", \"kind\": \"fetch\"}]"}
        };
        for (String[] each : commands) done(database, 0, each);
        tasks(database);
        jobs(database);
        processes(database);
        database.execute("CREATE TABLE item (id bigint PRIMARY KEY, done timestamptz);"
                + " INSERT INTO item SELECT generate_series(1, 9)");
        List<String> sweep = new ArrayList<>(List.of("sweep", "--name", "divide", "--table", "item", "--key", "id"));
        sweep.addAll(List.of("--where", "done IS NULL", "--mark", "done = now()", "--attempts", "1"));
        sweep.addAll(List.of("--sql", "SELECT 1 / (id - 7) FROM batch"));
        done(database, 1, sweep.toArray(String[]::new));
        sweep.add("--again");
        done(database, 1, sweep.toArray(String[]::new));
    }

    private static void done(TestDatabase database, int exitCode, String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--url", database.uri()));
        CommandLineRun run = CommandLineRun.of(all.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isEqualTo(exitCode);
    }

    private static void tasks(TestDatabase database) {
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(database.uri())).start()) {
            assertThat(scheduler.awaitServed(Patience.LIMIT)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        done(database, 0, "task", "schedule", "put", "nightly", "@daily", "SELECT 1");
    }

    private static void jobs(TestDatabase database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL("jdbc:" + database.uri().replace("postgres@", ""));
        source.setUser("postgres");
        try (Jobs jobs = Jobs.on(source)
                .handle(WORK, (payload, running) -> {
                    running.log("it fails");
                    throw new FatalException("no such customer");
                })
                .start()) {
            assertThat(jobs.add(WORK, "bad")).isOne();
            Awaitility.await()
                    .atMost(Patience.LIMIT)
                    .until(
                            () -> "t"
                                    .equals(
                                            database.value(
                                                    "SELECT (SELECT count(*) FROM howdah.stats_hourly) > 0 AND (SELECT count(*) FROM howdah.errors) > 0")));
        }
        done(database, 0, "job", "workflow", "add", "[{\"queue\": \"mail\", \"kind\": \"send\"}]");
    }

    private static void processes(TestDatabase database) {
        try (Processes processes = Processes.on(new SessionSource(Database.of(database.uri(), Map.of())))
                .namespace(Namespace.of(
                        "orders",
                        (task, process) -> Intent.none().event("made").then(Action.timeout(Duration.ofDays(9)))))
                .start()) {
            processes.init("orders", "a", null);
        }
    }
}
