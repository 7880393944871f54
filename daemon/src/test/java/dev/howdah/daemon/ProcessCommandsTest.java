package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.Action;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.ProcessTask;
import dev.howdah.process.Processes;
import dev.howdah.process.StepFailedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code howdah process}: what people ask processes and see of them. */
@PostgresTest
@Tag("long")
class ProcessCommandsTest {
    private final TestDatabase database;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    ProcessCommandsTest(TestDatabase database) {
        this.database = database;
    }

    private CommandLineRun run(String input, String... words) {
        return runAt(database.uri(), input, words);
    }

    private static CommandLineRun runAt(String uri, String input, String... words) {
        List<String> all = new ArrayList<>(List.of("process"));
        all.addAll(List.of(words));
        all.addAll(2, List.of("--url", uri));
        return CommandLineRun.of(input, Map.of("HOME", "/nonexistent"), all.toArray(String[]::new));
    }

    private String process(String... words) {
        CommandLineRun run = run("", words);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    /** What is wrong, in one line. */
    private String wrong(int exitCode, String... words) {
        CommandLineRun run = run("", words);
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(exitCode);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("howdah: ").hasLineCount(1);
        return run.err().substring("howdah: ".length()).strip();
    }

    /** Calls add their arguments as events; "fail" fails, "later" sets a timer, and a timer fails as well. */
    private Processes served() {
        return Processes.on(new SessionSource(Database.of(database.uri(), Map.of())))
                .namespace(Namespace.of("counter", (task, process) -> step(task).response(process.lastEventId() + 1)))
                .start();
    }

    private static Intent step(ProcessTask task) {
        String args = task.args().text();
        return switch (task.type()) {
            case INIT -> args.equals("\"fail\"") ? fail() : Intent.none().auxState(Map.of("made", true));
            case REPAIR -> Intent.none();
            case TIMEOUT -> Intent.none().event("timer");
            default -> {
                if (args.equals("\"fail\"")) yield fail();
                Intent intent = Intent.none().event(task.args());
                yield args.equals("\"later\"") ? intent.then(Action.timeout(Duration.ofHours(1))) : intent;
            }
        };
    }

    private static Intent fail() {
        throw new StepFailedException("no money");
    }

    @Test
    void process_fromStartToRemoval_isShownAsItIs() throws Exception {
        try (Processes served = served()) {
            assertThat(process("start", "counter", "a", "{\"n\": 1.10}")).isEqualTo("1\n");
            assertThat(process("call", "counter", "a", "{\"n\":  1.10}", "--json"))
                    .isEqualTo("{\"response\":1}\n");
            Path file = Files.write(home.resolve("args"), new byte[] {0, (byte) 0xff});
            assertThat(process("call", "counter", "a", "--file", file.toString()))
                    .isEqualTo("2\n");
            assertThat(run("\"from the input\"", "call", "counter", "a", "-").out())
                    .isEqualTo("3\n");
            assertThat(process("notify", "counter", "a", "\"later\"", "--context", "[1]"))
                    .isEqualTo("told\n");
            Awaitility.await()
                    .atMost(Patience.LIMIT)
                    .until(() -> served.get("counter", "a").lastEventId() == 4);
            assertThat(process("get", "counter", "a", "--limit", "2"))
                    .containsPattern(
                            "id +a\nstatus +running, since 20.*\ncreated +20.*\ntimer +20.*\nstate +\\{\"made\":true\\}\nevents +4\n")
                    .containsPattern("3 \\| 20.* \\| \"from the input\"\n +4 \\| 20.* \\| \"later\"")
                    .doesNotContain("1.10");
            String json = process("get", "counter", "a", "--json");
            assertThat(json)
                    .hasLineCount(1)
                    .startsWith("{\"id\":\"a\",\"status\":\"running\",\"previousStatus\":\"running\",")
                    .containsSubsequence(
                            "\"auxState\":{\"made\":true},\"lastEventId\":4,\"history\":[{\"id\":1,",
                            "\"payload\":{\"n\":  1.10}",
                            "\"payloadBase64\":\"AP8=\"",
                            "\"id\":4,");
            assertThat(process("get", "counter", "a", "--after", "3", "--json")).contains("\"history\":[{\"id\":4,");
            assertThat(process("trace", "counter", "a"))
                    .containsSubsequence("init", "call", "notify", "timeout | waiting", "(6 rows)");
            assertThat(process("trace", "counter", "a", "--json")
                            .lines()
                            .toList()
                            .get(1))
                    .contains(
                            "\"type\":\"call\",\"status\":\"finished\",",
                            "\"args\":{\"n\":1.10}",
                            "\"response\":1,",
                            "\"attempts_before\":0,",
                            "\"events\":[{\"id\":1,");
            assertThat(process("timers", "counter")).containsPattern("a +\\| 20.* \\| f +\\| +0\n");
            assertThat(process("timers", "counter", "--json"))
                    .matches("\\{\"process\":\"a\",\"at\":\"20.*Z\",\"removes\":false,\"attempts\":0\\}\n");
            process("start", "counter", "b");
            assertThat(process("list", "counter", "--json"))
                    .hasLineCount(2)
                    .startsWith("{\"id\":\"a\",\"status\":\"running\",");
            assertThat(process("list", "counter", "--sort", "reverse-id", "--json"))
                    .containsSubsequence("\"b\"", "\"a\"");
            assertThat(process("list", "counter", "--after", "a"))
                    .containsPattern("b +\\| running")
                    .contains("(1 row)");
            assertThat(process("list", "counter", "--status", "ERROR", "--json"))
                    .isEmpty();
            assertThat(process("remove", "counter", "a", "--json")).isEqualTo("{\"removed\":true}\n");
            assertThat(wrong(1, "get", "counter", "a")).isEqualTo("process not found");
        }
    }

    @Test
    void processes_allThatMeetAFilter_areCountedRepairedAndRemoved() {
        try (Processes served = served()) {
            for (String id : List.of("eu-1", "eu-2", "us-1", "us-2")) {
                served.init("counter", id, null);
                if (!id.equals("us-2"))
                    assertThat(wrong(1, "call", "counter", id, "\"fail\"")).isEqualTo("no money");
            }
            assertThat(process("repair", "counter", "--all", "--simple", "--dry-run"))
                    .isEqualTo("3 processes meet the filter\n");
            assertThat(process("repair", "counter", "--all", "--simple", "--prefix", "us-", "--dry-run"))
                    .isEqualTo("1 process meets the filter\n");
            assertThat(process("list", "counter", "--status", "error", "--json"))
                    .hasLineCount(3);
            assertThat(process("repair", "counter", "--all", "--simple", "--prefix", "eu-", "--json"))
                    .isEqualTo("{\"action\":\"repair\",\"processes\":2,\"unchanged\":0,\"dry_run\":false}\n");
            assertThat(process("list", "counter", "--status", "error", "--json"))
                    .hasLineCount(1)
                    .contains("\"us-1\"");
            assertThat(process("repair", "counter", "--all", "--simple")).isEqualTo("1 process was repaired\n");
            assertThat(process("remove", "counter", "--all", "--status", "running", "--prefix", "us-"))
                    .isEqualTo("2 processes were removed\n");
            assertThat(process("list", "counter", "--json")).hasLineCount(2);
            assertThat(process("remove", "counter", "--all", "--status", "error"))
                    .isEqualTo("0 processes were removed\n");
            assertThat(wrong(1, "remove", "nowhere", "--all")).isEqualTo("namespace not found");
            assertThat(wrong(1, "remove", "nowhere", "--all", "--dry-run")).isEqualTo("namespace not found");
        }
        assertThat(wrong(2, "remove", "counter", "eu-1", "--all"))
                .isEqualTo("--all and the id eu-1: it is one or the other");
        assertThat(wrong(2, "remove", "counter", "eu-1", "--dry-run"))
                .isEqualTo("--dry-run, --status and --prefix are for --all");
        assertThat(wrong(2, "repair", "counter", "--all", "--simple", "--status", "running"))
                .isEqualTo("--status running: it has to be error");
        assertThat(wrong(2, "repair", "counter", "--all", "--simple", "--key", "k"))
                .isEqualTo("--file, --context, --key and --timeout are for one process, not for --all");
        assertThat(wrong(2, "remove", "counter")).contains("missing ID, or --all");
    }

    @Test // the words of the specification
    void errors_ofAllCommands_areWordForWord() {
        try (Processes served = served()) {
            for (String command : List.of("start", "call", "notify", "repair", "get", "trace", "remove"))
                assertThat(wrong(1, command, "nowhere", "a")).isEqualTo("namespace not found");
            for (String command : List.of("list", "timers", "notices"))
                assertThat(wrong(1, command, "nowhere")).isEqualTo("there is no namespace \"nowhere\"");
            for (String command : List.of("notice-again", "notice-skip")) {
                assertThat(wrong(1, command, "nowhere", "a")).isEqualTo("there is no namespace \"nowhere\"");
                assertThat(wrong(1, command, "counter", "a")).isEqualTo("there is no process a");
            }
            for (String command : List.of("call", "notify", "repair", "get", "trace", "remove"))
                assertThat(wrong(1, command, "counter", "a")).isEqualTo("process not found");
            assertThat(wrong(1, "repair", "counter", "a", "--simple")).isEqualTo("process not found");
            assertThat(wrong(1, "start", "counter", "a", "\"fail\"")).isEqualTo("no money");
            assertThat(wrong(1, "call", "counter", "a")).isEqualTo("process is error");
            assertThat(process("get", "counter", "a"))
                    .containsPattern("status +error.*\n")
                    .containsPattern("detail +no money\n");
            assertThat(process("repair", "counter", "a")).isEqualTo("1\n");
            assertThat(wrong(1, "start", "counter", "a")).isEqualTo("process already exists");
            assertThat(wrong(1, "repair", "counter", "a")).isEqualTo("process is running");
            assertThat(wrong(1, "repair", "counter", "a", "--simple")).isEqualTo("process is running");
            assertThat(process("call", "counter", "a", "1", "--key", "k")).isEqualTo("1\n");
            assertThat(process("call", "counter", "a", "1", "--key", "k")).isEqualTo("1\n");
            assertThat(wrong(1, "call", "counter", "a", "2", "--key", "k")).isEqualTo("key belongs to another request");
            assertThat(wrong(1, "call", "counter", "a", "\"fail\"")).isEqualTo("no money");
            assertThat(process("repair", "counter", "a", "--simple")).isEqualTo("repaired\n");
            assertThat(served.get("counter", "a").lastEventId()).isEqualTo(1);
        }
    }

    @Test
    void look_byARoleThatMayOnlyRead_isAnswered() {
        try (Processes served = served()) {
            served.init("counter", "a", null);
            served.call("counter", "a", "later");
        }
        String role = database.name() + "_reader";
        String uri = database.uri().replace("postgres@", role + "@");
        database.execute(
                "CREATE ROLE " + role + " LOGIN; ALTER ROLE " + role + " SET default_transaction_read_only = on");
        try {
            assertThat(runAt(uri, "", "list", "counter").err())
                    .isEqualTo("howdah: permission denied for schema howdah_internal\n");
            database.execute("GRANT USAGE ON SCHEMA howdah, howdah_internal TO " + role
                    + "; GRANT SELECT ON howdah_internal.process_namespace, howdah_internal.process, howdah_internal.process_task TO "
                    + role);
            assertThat(runAt(uri, "", "get", "counter", "a").err())
                    .isEqualTo("howdah: process a could not be read: permission denied for table process_event\n");
            database.execute("GRANT SELECT ON howdah_internal.process_event TO " + role);
            assertThat(runAt(uri, "", "get", "counter", "a").out()).contains("\"later\"");
            assertThat(runAt(uri, "", "trace", "counter", "a").out()).contains("timeout | waiting");
            assertThat(runAt(uri, "", "list", "counter").out()).contains("(1 row)");
            assertThat(runAt(uri, "", "timers", "counter").out()).contains("(1 row)");
            assertThat(runAt(uri, "", "call", "counter", "a").err())
                    .startsWith("howdah: ")
                    .hasLineCount(1);
        } finally {
            database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
        }
    }

    @Test
    void call_nobodyWorksTheNamespace_waitsForItsTimeAndSaysSo() {
        served().close();
        assertThat(wrong(1, "start", "counter", "a", "--timeout", "1"))
                .isEqualTo(
                        "timeout: no answer within 1 s; no node has begun it, and it waits: is one up that works counter?");
        assertThat(wrong(1, "call", "counter", "a", "--timeout", "1")).isEqualTo("process is init");
        database.execute("ALTER TABLE howdah_internal.process_event RENAME TO elsewhere");
        assertThat(wrong(1, "start", "counter", "b", "--timeout", "1"))
                .isEqualTo(
                        "timeout: no answer within 1 s; what has become of it cannot be said: process b could not be read:"
                                + " relation \"howdah_internal.process_event\" does not exist");
        database.execute("ALTER TABLE howdah_internal.elsewhere RENAME TO process_event");
        try (Processes served = served()) {
            Awaitility.await()
                    .atMost(Patience.LIMIT)
                    .until(() -> process("get", "counter", "a").contains("running"));
        }
    }

    @Test
    void tables_notThere_isSaidWithTheRemedy() {
        assertThat(wrong(1, "list", "counter"))
                .startsWith("there are no processes in database")
                .contains("howdah process install");
        assertThat(wrong(1, "notice-skip", "counter", "a")).startsWith("there are no processes in database");
        assertThat(database.value("SELECT to_regnamespace('howdah') IS NULL")).isEqualTo("t");
        assertThat(process("install")).isEqualTo("the tables of processes are up to date\n");
        assertThat(wrong(1, "list", "counter")).isEqualTo("there is no namespace \"counter\"");
        assertThat(CommandLineRun.of("process", "schema").out()).contains("CREATE TABLE howdah_internal.process ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            call counter a {no                  | ARGS has to be JSON, such as '{"cents": 1000}' or '"text"'; it is: {no
            call counter a text                 | ARGS has to be JSON, such as '{"cents": 1000}' or '"text"'; it is: text
            call counter a 1 --context x        | --context has to be JSON, such as
            call counter a 1 --file x           | ARGS and --file: only one of them
            call counter a --file /nowhere      | --file: there is no file /nowhere
            call counter a --timeout 0          | --timeout has to be from 1 to 86400 seconds, not 0
            call counter a --timeout x          | --timeout has to be a number, not "x"
            call counter                        | missing ID
            call counter a 1 2                  | "2" is one argument too many
            get counter a --after x             | --after has to be a number, not "x"
            get counter a --limit 0             | --limit has to be 1 or more, not 0
            list counter --status open          | --status has to be one of init, running, error, not "open"
            list                                | missing NAMESPACE
            """)
    void input_wrong_isRefusedInOneLine(String words, String error) {
        assertThat(wrong(2, words.split(" "))).contains(error);
    }

    @Test
    void names_longOrStrange_areRefusedOrTaken() {
        try (Processes served = served()) {
            assertThat(wrong(2, "start", "counter", "x".repeat(257)))
                    .contains("the id of a process has 1 to 256 characters");
            assertThat(wrong(2, "start", "counter", ""))
                    .isEqualTo("the id of a process has 1 to 256 characters, none of them 0; not 0");
            assertThat(wrong(1, "call", "counter", "a", "--file", home.toString()))
                    .isEqualTo("cannot read ARGS from " + home + ": Is a directory");
            assertThat(wrong(2, "start", "counter", "a", "--key", "x".repeat(201)))
                    .contains("the key has 1 to 200 characters");
            String strange = "it's \"mine\"; DROP TABLE howdah_internal.process --";
            assertThat(process("start", "counter", strange)).isEqualTo("1\n");
            assertThat(process("get", "counter", strange)).contains(strange);
            assertThat(wrong(1, "get", strange, "a")).isEqualTo("namespace not found");
        }
    }
}
