package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.task.TaskScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** {@code howdah task add} and {@code show} have a word for whatever the table offers. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TaskCommandsTest {
    private TestDatabase database;
    private TaskScheduler scheduler;

    @BeforeAll
    void serve(TestDatabase database) throws InterruptedException {
        this.database = database;
        scheduler = TaskScheduler.on(Database.of(database.uri())).start();
        assertThat(scheduler.awaitServed(Duration.ofSeconds(30))).isTrue();
    }

    @AfterAll
    void close() {
        scheduler.close();
    }

    private String task(String... words) {
        List<String> all = new ArrayList<>(List.of("task"));
        all.addAll(List.of(words));
        all.addAll(all.get(1).equals("schedule") ? 3 : 2, List.of("--url", database.uri()));
        CommandLineRun run = CommandLineRun.of("", Map.of(), all.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    @Test
    void flags_ofAdd_areShown() {
        String first = task("add", "--plan", "infinity", "--cron", "30 3 * * *", "--zone", "Europe/Berlin", "SELECT 1")
                .strip();
        String second = task(
                        "add",
                        "--after",
                        first,
                        "--once",
                        "--notify",
                        "told",
                        "--attempts",
                        "3",
                        "--backoff",
                        "5 min",
                        "SELECT 2")
                .strip();
        assertThat(task("show", first))
                .containsPattern("owner +postgres\n")
                .containsPattern("cron +30 3 \\* \\* \\*\n")
                .containsPattern("zone +Europe/Berlin\n")
                .doesNotContain("once", "notify", "attempts");
        assertThat(task("show", second))
                .containsPattern("after +\\{" + first + "\\}\n")
                .containsPattern("once +true\n")
                .containsPattern("notify +told\n")
                .containsPattern("attempts +3\n")
                .containsPattern("backoff +00:05:00\n");
        assertThat(task("show", second, "--json"))
                .contains("\"owner\":\"postgres\"", "\"once\":true", "\"notify\":\"told\"", "\"attempts\":3");
    }

    @Test
    void list_textsOfOthers_areOneLineEach() {
        database.execute("INSERT INTO task (\"group\", input, plan) VALUES"
                + " (E'forged\\n 1 | DONE', E'SELECT \\x1b]0;owned\\x07', 'infinity')");
        assertThat(task("list", "--group", "forged\n 1 | DONE").lines().toList())
                .hasSize(5)
                .element(2)
                .asString()
                .contains("| forged\\n 1 | DONE |", "SELECT \\x1B]0;owned\\x07");
    }

    @Test
    void changes_ofManyTasks_areCountedFirst() {
        for (int i = 0; i < 3; i++)
            task("add", "--plan", "infinity", "--group", "bulk", "--set", "state=FAIL", "SELECT " + i + " FROM bulk");
        String[] all = {"--all", "--group", "bulk", "--input", "FROM bulk"};
        assertThat(task("retry", all, "--dry-run")).isEqualTo("3 tasks meet the filter\n");
        assertThat(task("retry", all, "--json", "--dry-run"))
                .isEqualTo("{\"action\":\"retry\",\"state\":\"FAIL\",\"tasks\":3,\"dry_run\":true}\n");
        assertThat(task("delete", all, "--until", "yesterday")).isEqualTo("0 tasks were changed\n");
        assertThat(task("delete", all, "--state", "DONE")).isEqualTo("0 tasks were changed\n");
        database.execute("UPDATE task SET state = 'FAIL', error = 'ERROR:  1' WHERE \"group\" = 'bulk'");
        assertThat(task("list", "--group", "bulk", "--error", "ERROR:  1", "--from", "2020-01-01", "--json")
                        .lines())
                .hasSize(3);
        assertThat(task("delete", all)).isEqualTo("3 tasks were changed\n");
        assertThat(task("list", "--group", "bulk", "--json")).isEmpty();
        assertThat(wrong("list", "--sort", "soonest")).contains("other states have newest and oldest");
        task("schedule", "put", "kept", "0 3 1 1 *", "SELECT 1 AS kept");
        assertThat(task("cancel", new String[] {"--all", "--input", "AS kept"})).isEqualTo("0 tasks were changed\n");
        assertThat(task("cancel", new String[] {"--all", "--schedule", "kept"})).isEqualTo("1 task was changed\n");
    }

    @Test
    void changes_ofIds_tellEachAndComplainInTheEnd() {
        String first = task("add", "--plan", "infinity", "SELECT 1").strip();
        String second = task("add", "--plan", "infinity", "SELECT 1").strip();
        assertThat(task("cancel", first, second))
                .isEqualTo("Task " + first + " will not run.\nTask " + second + " will not run.\n");
        assertThat(task("resume", first)).isEqualTo("Task " + first + " waits for its time again.\n");
        assertThat(task("cancel", first, "--json"))
                .isEqualTo("{\"id\":" + first + ",\"changed\":true,\"result\":\"stopped\"}\n");
        CommandLineRun deleted = CommandLineRun.of("task", "delete", first, "987654", second, "--url", database.uri());
        assertThat(deleted.out()).isEqualTo("Task " + first + " is deleted.\nTask " + second + " is deleted.\n");
        assertThat(deleted.err()).isEqualTo("howdah: there is no task 987654: its id is wrong, or it was deleted\n");
        assertThat(deleted.exitCode()).isOne();
        assertThat(wrong("delete", first, "--all")).contains("--all and the id " + first + ": it is one or the other");
        assertThat(wrong("retry", first, "--group", "x")).contains("the filter are for --all");
        assertThat(wrong("retry")).contains("missing ID, or --all");
        assertThat(wrong("retry", "--all", "--state", "WORK"))
                .contains("--state WORK: it has to be one of FAIL, STOP, GONE, DONE");
        assertThat(wrong("retry", "--all", "--sqlstate", "1")).contains("unlike \"1\"");
    }

    private String task(String command, String[] filter, String... more) {
        List<String> words = new ArrayList<>(List.of(command));
        words.addAll(List.of(filter));
        words.addAll(List.of(more));
        return task(words.toArray(String[]::new));
    }

    private String wrong(String... words) {
        List<String> all = new ArrayList<>(List.of("task"));
        all.addAll(List.of(words));
        all.addAll(List.of("--url", database.uri()));
        CommandLineRun run = CommandLineRun.of("", Map.of(), all.toArray(String[]::new));
        assertThat(run.exitCode()).isEqualTo(2);
        return run.err();
    }

    private CommandLineRun add(String... words) {
        List<String> all = new ArrayList<>(List.of("task", "add", "--url", database.uri()));
        all.addAll(List.of(words));
        return CommandLineRun.of("", Map.of(), all.toArray(String[]::new));
    }

    @Test
    void values_thatTheTableDoesNotTake_areSaidInASentence() {
        CommandLineRun attempts = add("--attempts", "0", "SELECT 1");
        assertThat(attempts.exitCode()).isEqualTo(1);
        assertThat(attempts.err())
                .isEqualTo("howdah: attempts has to be 1 or more: how many runs it may take in all\n");
        assertThat(add("--cron", "0 0 * * *", "--repeat", "1 h", "SELECT 1").err())
                .isEqualTo("howdah: a task has a cron or a repeat, not both\n");
        assertThat(add("--set", "count=-1", "SELECT 1").err()).isEqualTo("howdah: count has to be 0 or more\n");
        CommandLineRun delimiter = add("--set", "delimiter=||", "SELECT 1");
        assertThat(delimiter.exitCode()).isEqualTo(2);
        assertThat(delimiter.err()).contains("--set delimiter=||: it takes one ASCII character");
        assertThat(add("--set", "quote=ž", "SELECT 1").exitCode()).isEqualTo(2);
        assertThat(add("--set", "delimiter=;", "--set", "quote=", "--plan", "infinity", "SELECT 1")
                        .exitCode())
                .isZero();
    }

    @Test
    void show_namesEveryColumnThatSaysSomething() {
        database.execute("ALTER TABLE task ADD COLUMN IF NOT EXISTS \"my own\" text");
        String plain = task("add", "--plan", "infinity", "SELECT 1").strip();
        String all = task(
                        "add",
                        "--plan",
                        "infinity",
                        "--set",
                        "live=1 h",
                        "--set",
                        "count=7",
                        "--set",
                        "delete=false",
                        "--set",
                        "drift=true",
                        "--set",
                        "quote=\"",
                        "--set",
                        "my own=mine",
                        "SELECT 1")
                .strip();
        assertThat(task("show", plain)).doesNotContain("live", "count", "delete", "drift", "quote", "header", "my own");
        assertThat(task("show", all))
                .containsPattern("live +01:00:00\n")
                .containsPattern("count +7\n")
                .containsPattern("delete +false\n")
                .containsPattern("drift +true\n")
                .containsPattern("quote +\"\n")
                .containsPattern("my own +mine\n");
        assertThat(task("show", all, "--json"))
                .contains("\"live\":\"01:00:00\"", "\"count\":7", "\"header\":true", "\"my own\":\"mine\"");
    }

    @Test
    void password_ofRemote_isNotShown() {
        String id = task(
                        "add",
                        "--plan",
                        "infinity",
                        "--remote",
                        "postgresql://u:geheim@h.example/x?password=geheim",
                        "SELECT 1")
                .strip();
        String remote = "postgresql://u:***@h.example/x?password=***";
        assertThat(task("show", id)).contains(remote).doesNotContain("geheim");
        assertThat(task("show", id, "--json")).contains(remote).doesNotContain("geheim");
        assertThat(task("list", "--json")).contains(remote).doesNotContain("geheim");
    }

    private CommandLineRun run(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--url", database.uri()));
        return CommandLineRun.of("", Map.of(), all.toArray(String[]::new));
    }

    @Test
    void set_withoutAColumn_saysWhatItTakes() {
        for (String wrong : new String[] {"foo", "=x"}) {
            CommandLineRun run = run("task", "add", "--set", wrong, "SELECT 1");
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err())
                    .isEqualTo(
                            "howdah: --set has to be COLUMN=VALUE, such as --set priority=3, not \"" + wrong + "\"\n");
        }
        assertThat(run("task", "add", "--set", "data=a=b", "--set", "data=c", "SELECT 1")
                        .err())
                .contains("--set data=... was given twice");
        String id = task("add", "--set", "data=a=b", "SELECT 1").strip();
        assertThat(task("show", id)).containsPattern("data +a=b\n");
    }

    @Test
    void show_controlSequences_areShownByTheirCodes() {
        String id = task(
                        "add",
                        "--set",
                        "data=\u001B]0;x\u0007\rred\u009B31m\u202Ecod\tn",
                        "--plan",
                        "infinity",
                        "SELECT 1")
                .strip();
        assertThat(task("show", id)).containsPattern("data +\\\\x1B]0;x\\\\x07\\\\rred\\\\x9B31m\\\\u202Ecod\tn\n");
        assertThat(task("show", id, "--json"))
                .contains("\"data\":\"\\u001B]0;x\\u0007\\rred\\u009B31m\\u202Ecod\\tn\"");
        assertThat(run("sql", "SELECT U&'\\009B1m' AS a").out())
                .contains("\\x9B1m")
                .doesNotContain("\u009B");
        assertThat(run("sql", "DO $$ BEGIN RAISE 'x%', chr(27); END $$").err())
                .contains("x\\x1B")
                .doesNotContain("\u001B");
    }

    @Test
    void table_withTooLongAName_isRefusedWithTheLongest() {
        CommandLineRun run = run("task", "list", "--table", "t".repeat(43));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--table has to be a name of at most 42 bytes");
    }

    @Test
    void sql_commandOfPsql_isExplained() {
        CommandLineRun run = run("sql", "\\dt");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("psql's own");
    }

    @Test
    void add_withoutPrivilege_namesTheGrants() {
        String role = database.name() + "_stranger";
        database.execute("CREATE ROLE " + role + " LOGIN");
        try {
            CommandLineRun run = CommandLineRun.of(
                    "", Map.of(), "task", "add", "--url", database.uri().replace("postgres@", role + "@"), "SELECT 1");
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err())
                    .contains("permission denied for table task")
                    .contains("GRANT INSERT ON \"public\".\"task\" TO \"" + role + "\"");
        } finally {
            database.execute("DROP ROLE " + role);
        }
    }

    @Test
    void schedule_putListedRunPausedAndRemoved() {
        String id = task(
                        "schedule",
                        "put",
                        "nightly",
                        "0 3 * * *",
                        "SELECT 41 + 1",
                        "--zone",
                        "Europe/Berlin",
                        "--set",
                        "attempts=2")
                .strip();
        assertThat(task(
                        "schedule",
                        "put",
                        "nightly",
                        "0 3 * * *",
                        "SELECT 41 + 1",
                        "--zone",
                        "Europe/Berlin",
                        "--set",
                        "attempts=2"))
                .isEqualTo(id + "\n");
        String added = task("schedule", "run-now", "nightly");
        assertThat(added).matches("Task \\d+ runs what task schedule nightly runs\\.\n");
        String run = added.replaceAll("\\D", "");
        Awaitility.await().until(() -> task("show", run).contains("output   42"));
        assertThat(task("schedule", "pause", "nightly", "--json")).isEqualTo("{\"changed\":true,\"id\":" + id + "}\n");
        assertThat(task("schedule", "pause", "nightly")).isEqualTo("Task schedule nightly was paused already.\n");
        assertThat(task("schedule", "list", "--json"))
                .contains(
                        "\"name\":\"nightly\"",
                        "\"state\":\"paused\"",
                        "\"last_id\":" + run,
                        "\"last_state\":\"DONE\"");
        assertThat(task("schedule", "log", "nightly", "--limit", "1"))
                .contains("DONE")
                .doesNotContain("PLAN");
        assertThat(task("schedule", "resume", "nightly")).isEqualTo("Task schedule nightly goes on.\n");
        assertThat(task("schedule", "resume", "nightly", "--json"))
                .isEqualTo("{\"changed\":false,\"id\":" + id + "}\n");
        assertThat(task("schedule", "remove", "nightly")).isEqualTo("Task schedule nightly is removed.\n");
        assertThat(wrong(1, "schedule", "pause", "nightly")).contains("there is no schedule \"nightly\" of this role");
        assertThat(wrong(1, "schedule", "run-now", "nightly", "--owner", "other"))
                .contains("there is no schedule \"nightly\" of role other");
        assertThat(wrong(1, "schedule", "remove", "nightly", "--table", "other"))
                .contains("public.other_schedule");
        assertThat(wrong(2, "schedule", "put", "x", "61 * * * *", "SELECT 1")).contains("the minute field is '61'");
        assertThat(wrong(2, "schedule", "put", "x", "@daily", "SELECT 1", "--set", "cron=@hourly"))
                .contains("--set cron=...");
    }

    private String wrong(int exitCode, String... words) {
        List<String> all = new ArrayList<>(List.of("task"));
        all.addAll(List.of(words));
        all.addAll(3, List.of("--url", database.uri()));
        CommandLineRun run = CommandLineRun.of("", Map.of(), all.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(exitCode);
        return run.err();
    }
}
