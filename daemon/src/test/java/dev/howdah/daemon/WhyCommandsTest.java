package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.console.Console;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.task.TaskScheduler;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** {@code howdah why} prints what the functions in SQL answer. */
@PostgresTest
class WhyCommandsTest {
    private final TestDatabase database;

    WhyCommandsTest(TestDatabase database) {
        this.database = database;
    }

    private CommandLineRun howdah(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--url", database.uri()));
        return CommandLineRun.of(all.toArray(String[]::new));
    }

    @Test
    void job_paused_printsAnswerAndFurtherCauses() {
        howdah("job", "install");
        database.execute(
                "SET howdah.actor = 'Ann'; SELECT howdah.pause('mail'); SELECT howdah.add('mail', 'send', '1')");
        CommandLineRun run = howdah("why", "job", "1");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).matches("""
                        Queue "mail" is paused since .*, by Ann\\.
                          > SELECT howdah\\.resume\\('mail'\\);
                        also: No node works\\.
                          > Start a program that handles kind "send" of queue "mail"\\.
                        """);
        assertThat(howdah("why", "job", "1", "--json").out())
                .startsWith("{\"code\":\"paused\",\"sentence\":\"Queue \\\"mail\\\" is paused since ")
                .contains(
                        "\"detail\":{\"by\":\"Ann\"",
                        "\"remedy\":\"SELECT howdah.resume('mail');\"}\n{\"code\":\"no-node\"");
    }

    @Test
    void task_withoutTable_failsInOneLine_andWithOneSaysWhy() {
        assertThat(howdah("why", "task", "1").err())
                .startsWith("howdah: there is no table public.task in ")
                .hasLineCount(1);
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(database.uri())).start()) {
            await().until(() -> "t".equals(database.value("SELECT to_regclass('public.task_busy_idx') IS NOT NULL")));
        }
        database.execute("INSERT INTO task (input) VALUES ('SELECT 1')");
        assertThat(howdah("why", "task", "1").out())
                .isEqualTo("No scheduler serves public.task.\n"
                        + "  > Start \"howdah up\" or a TaskScheduler for this database and table.\n");
        assertThat(howdah("why", "task", "9").err())
                .isEqualTo("howdah: There is no task 9: ids up to 1 have been given.\n");
    }

    @Test
    void scheduleProcessAndSweep_areAskedByName() {
        howdah("job", "install");
        database.execute("SELECT howdah.schedule('s', 'q', 'work', cron => '0 3 * * *')");
        assertThat(howdah("why", "schedule", "s").out())
                .isEqualTo("No node works: no time of it is kept.\n  > Start a program that runs jobs.\n"
                        + "also: A node has yet to find its next time.\n");
        assertThat(howdah("why", "schedule", "t").err()).isEqualTo("howdah: There is no schedule \"t\".\n");
        assertThat(howdah("why", "process", "ns", "p").err()).startsWith("howdah: there are no processes in ");
        howdah("process", "install");
        assertThat(howdah("why", "process", "ns", "p").err()).isEqualTo("howdah: There is no namespace \"ns\".\n");
        assertThat(howdah("why", "sweep", "s").err()).isEqualTo("howdah: there is no sweep named s\n");
        howdah("sweep", "install");
        assertThat(howdah("why", "sweep", "s").err()).isEqualTo("howdah: There is no sweep \"s\".\n");
        database.execute("INSERT INTO howdah.sweep (name, definition) VALUES ('s', '{}')");
        assertThat(howdah("why", "sweep", "s").out())
                .isEqualTo("No process works on it.\n  > Start it again with the same command or program.\n");
    }

    // for the browser
    @Test
    void sentence_ofEachCause_isThatOfThePageAndOfTheApi() throws Exception {
        howdah("job", "install");
        howdah("sweep", "install");
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(database.uri())).start()) {
            await().until(() -> "t".equals(database.value("SELECT to_regclass('public.task_busy_idx') IS NOT NULL")));
        }
        database.execute("SET howdah.actor = 'Ann'; SELECT howdah.pause('held'); SELECT howdah.add('held', 'k', '1');"
                + " SELECT howdah.add('q', 'k', '1'); SELECT howdah.add_ordered('q', 'k', '1', 'o');"
                + " SELECT howdah.add_ordered('q', 'k', '1', 'o');"
                + " SELECT howdah.schedule('s', 'q', 'k', cron => '0 3 * * *'); SELECT howdah.pause_schedule('s');"
                + " INSERT INTO howdah.sweep (name, definition, state, error) VALUES ('s', '{}', 'failed', 'no column \"x\"');"
                + " INSERT INTO task (input, plan) VALUES ('SELECT 1', 'infinity'), ('SELECT 1', now())");
        database.execute("INSERT INTO task (input, after, \"group\") VALUES ('SELECT 1', ARRAY[1], 'b')");
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:" + database.uri().replace("postgres@", "") + "?user=postgres");
        try (Console console =
                Console.on(source).port(0).taskTable("public", "task").start()) {
            for (String[] each : new String[][] {
                {"job", "1", "jobs/1", "paused"},
                {"job", "2", "jobs/2", "no-node"},
                {"job", "4", "jobs/4", "order"},
                {"schedule", "s", "schedules/s", "paused"},
                {"sweep", "s", "sweeps/s", "failed"},
                {"task", "1", "tasks/1", "never"},
                {"task", "2", "tasks/2", "no-scheduler"},
                {"task", "3", "tasks/3", "waits-for"}
            }) {
                String first = howdah("why", each[0], each[1], "--json")
                        .out()
                        .lines()
                        .findFirst()
                        .orElseThrow();
                assertThat(first).startsWith("{\"code\":\"" + each[3] + "\",");
                String sentence = first.replaceAll("^.*?\"sentence\":\"((?:[^\"\\\\]|\\\\.)*)\".*$", "$1");
                assertThat(get(console, "/api/v1/" + each[2] + "/why"))
                        .as(each[2])
                        .contains(sentence);
                // A page has each moment in an element, in the zone of the reader.
                assertThat(get(console, "/" + each[2]).replaceAll("<time[^>]*>[^<]*</time>", "MOMENT"))
                        .as(each[2])
                        .contains(sentence.replace("\\\"", "\"")
                                .replaceAll(
                                        "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d[^ ,]*[+-]\\d\\d(:\\d\\d)?",
                                        "MOMENT"));
            }
        }
    }

    private static String get(Console console, String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(console.address().resolve(path)).build(),
                        HttpResponse.BodyHandlers.ofString())
                .body()
                .replace("&#39;", "'")
                .replace("&#34;", "\"");
    }

    @Test
    void job_unknown_failsAndSaysWhichIdsThereAre() {
        howdah("job", "install");
        CommandLineRun run = howdah("why", "job", "7");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).isEqualTo("howdah: There is no job 7: none was ever added.\n");
    }

    @Test
    void job_withoutTables_failsInOneLine() {
        CommandLineRun run = howdah("why", "job", "7");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).startsWith("howdah: there are no jobs in ").hasLineCount(1);
    }

    @Test
    void help_hasExamples() {
        assertThat(CommandLineRun.of("why", "--help").out()).contains("Examples:", "howdah why task 42");
        assertThat(CommandLineRun.of("why", "job", "--help").out()).contains("howdah why job 7");
    }
}
