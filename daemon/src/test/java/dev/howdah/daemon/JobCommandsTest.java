package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.FatalException;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/** {@code howdah job}: what people see of jobs and do with them. */
@PostgresTest
@Tag("long")
class JobCommandsTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);

    private final TestDatabase database;

    JobCommandsTest(TestDatabase database) {
        this.database = database;
    }

    private CommandLineRun run(String... words) {
        List<String> all = new ArrayList<>(List.of("job"));
        all.addAll(List.of(words));
        all.addAll(2, List.of("--url", database.uri()));
        return CommandLineRun.of("", Map.of("HOME", "/nonexistent"), all.toArray(String[]::new));
    }

    private String job(String... words) {
        CommandLineRun run = run(words);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    /** What is wrong, in one line. */
    private String wrong(int exitCode, String... words) {
        CommandLineRun run = run(words);
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(exitCode);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("howdah: ").hasLineCount(1);
        return run.err();
    }

    @Test
    void retentionCalendarsAndTags_areSetListedAndRemoved() {
        CommandLineRun.installJobs(database);
        assertThat(group("retention", "put", "done", "2 hours", "--queue", "mail"))
                .isEqualTo("The retention of done jobs of queue mail is stored.\n");
        assertThat(group("retention", "put", "done", "PT2H", "--queue", "mail", "--json"))
                .isEqualTo("{\"changed\":false}\n");
        assertThat(group("retention", "put", "failed", "0"))
                .isEqualTo("The retention of failed jobs of all other queues is stored.\n");
        assertThat(group("retention", "list", "--json"))
                .hasLineCount(2)
                .contains("{\"queue\":null,\"outcome\":\"failed\",\"keep\":\"PT0S\",\"archive\":null,\"removed\":0,")
                .contains("{\"queue\":\"mail\",\"outcome\":\"done\",\"keep\":\"PT2H\",");
        assertThat(group("retention", "remove", "failed"))
                .isEqualTo("The rule of failed jobs of all other queues is removed.\n");
        assertThat(group("retention", "list", "--json")).hasLineCount(1);
        assertThat(group("calendar", "add", "berlin", "2030-12-25", "2030-12-26"))
                .isEqualTo("2 days were added to calendar berlin.\n");
        assertThat(group("calendar", "add", "berlin", "2030-12-26"))
                .isEqualTo("Calendar berlin has these days already.\n");
        assertThat(group("calendar", "show", "berlin")).contains("2030-12-25", "2030-12-26");
        assertThat(group("calendar", "list", "--json"))
                .isEqualTo("{\"name\":\"berlin\",\"days\":2,\"next\":\"2030-12-25\",\"last\":\"2030-12-26\"}\n");
        assertThat(group("schedule", "next", "--cron", "0 9 25 12 *", "--calendar", "berlin", "--count", "1", "--json"))
                .doesNotContain("2030-12-25");
        assertThat(group("calendar", "remove", "berlin", "2030-12-25"))
                .isEqualTo("1 day was removed from calendar berlin.\n");
        assertThat(group("calendar", "remove", "berlin", "2030-12-25", "--json"))
                .isEqualTo("{\"changed\":false,\"days\":0}\n");
        assertThat(group("calendar", "remove", "berlin", "--all"))
                .isEqualTo("1 day was removed from calendar berlin.\n");
        assertThat(job("count-tag", "customer:*", "--most", "5")).isEqualTo("Tag customer:* is counted.\n");
        assertThat(job("count-tag", "customer:*", "--most", "5", "--json")).isEqualTo("{\"changed\":false}\n");
        assertThat(job("stats", "--by-tag")).contains("tag");
        assertThat(job("uncount-tag", "customer:*")).isEqualTo("Tag customer:* is no longer counted.\n");
        assertThat(wrong(1, "uncount-tag", "x")).contains("tag x is not counted");
        assertThat(wrong(2, "stats", "--by-tag", "--queue", "q")).contains("--by-tag and --queue q");
    }

    private String group(String group, String... words) {
        List<String> all = new ArrayList<>(List.of("job", group, words[0], "--url", database.uri()));
        all.addAll(List.of(words).subList(1, words.length));
        CommandLineRun run = CommandLineRun.of("", Map.of("HOME", "/nonexistent"), all.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    @Test
    void jobs_withTags_areAddedFoundAndChanged() {
        CommandLineRun.installJobs(database);
        job("add", "welcome", "1", "--tag", "vip", "--tag", "eu", "--metadata", "{\"source\": \"import\"}");
        job("add", "welcome", "2", "--tag", "eu");
        assertThat(job("list", "--state", "waiting", "--json")).startsWith("{\"id\":2,");
        assertThat(job("list", "--state", "waiting", "--sort", "oldest", "--json"))
                .startsWith("{\"id\":1,");
        assertThat(wrong(2, "list", "--state", "waiting", "--sort", "key"))
                .contains("--sort has to be one of newest, oldest, not \"key\"");
        assertThat(job("list", "--state", "waiting", "--tag", "eu", "--tag", "vip", "--json"))
                .hasLineCount(1)
                .contains("\"payload\":1,", "\"tags\":[\"eu\",\"vip\"]");
        assertThat(job("show", "1")).contains("tags     eu, vip", "metadata {\"source\": \"import\"}");
        assertThat(job("list", "--state", "waiting", "--metadata", "{\"source\": \"import\"}", "--json"))
                .contains("\"id\":1,")
                .hasLineCount(1);
        assertThat(wrong(2, "list", "--state", "waiting", "--metadata", "import"))
                .contains("a filter of metadata that is not JSON: import");
        assertThat(job("cancel", "--all", "--metadata", "{\"source\": \"form\"}", "--dry-run"))
                .isEqualTo("0 jobs meet the filter\n");
        assertThat(job("cancel", "--all", "--tag", "vip", "--dry-run")).isEqualTo("1 job meets the filter\n");
        assertThat(job("cancel", "--all", "--tag", "vip")).isEqualTo("1 job was changed\n");
        assertThat(job("retry", "--all", "--state", "cancelled", "--tag", "none"))
                .isEqualTo("0 jobs were changed\n");
        assertThat(job("retry", "--all", "--state", "cancelled", "--tag", "eu")).isEqualTo("1 job was changed\n");
        assertThat(wrong(2, "cancel", "5", "--tag", "eu")).contains("the filter are for --all");
        assertThat(wrong(2, "add", "welcome", "1", "--metadata", "{\"a"))
                .contains("--metadata {\"a: it has to be a JSON object");
        assertThat(wrong(1, "add", "welcome", "1", "--metadata", "7")).contains("the option metadata is 7");
    }

    private PGSimpleDataSource source() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
        return source;
    }

    @Test
    void list_byStateQueueAndKind_showsThoseAndNoOthers() {
        CommandLineRun.installJobs(database);
        job("add", "welcome", "{\"to\": \"gr\u00fc\u00df\\nhi\"}", "--queue", "mail", "--priority", "-5");
        job("add", "news", "--queue", "mail", "--delay", "1 hour");
        job("add", "other");
        assertThat(job("list", "--state", "waiting"))
                .containsPattern("id.*queue.*kind.*state")
                .containsSubsequence("other", "welcome")
                .doesNotContain("news");
        assertThat(job("list", "--state", "waiting", "--queue", "mail", "--json"))
                .hasLineCount(1)
                .startsWith("{\"id\":1,\"queue\":\"mail\",\"kind\":\"welcome\",\"state\":\"waiting\",\"priority\":-5,");
        assertThat(job("list", "--state", "PLANNED", "--kind", "news")).contains("planned");
        assertThat(job("list", "--state", "failed", "--json")).isEmpty();
        assertThat(job("list", "--state", "failed", "--node", "3", "--json")).isEmpty();
        assertThat(wrong(2, "list", "--state", "waiting", "--node", "3"))
                .contains("the node 3 for jobs in the state WAITING");
        assertThat(wrong(2, "list", "--state", "done", "--node", "0")).contains("--node has to be a number from 1 to");
        assertThat(job("list", "--state", "waiting", "--limit", "1", "--json"))
                .hasLineCount(1)
                .contains("\"id\":3");
        assertThat(wrong(2, "list", "--state", "waiting", "--limit", "0"))
                .contains("--limit has to be 1 or more, not 0");
        assertThat(wrong(2, "list", "--state", "waiting", "--limit", "x"))
                .contains("--limit has to be 1 or more, not x");
        assertThat(wrong(2, "list", "--state", "open"))
                .contains("--state has to be one of waiting, planned, retrying,");
        assertThat(job("list", "--state", "waiting", "--queue", "'; DROP TABLE howdah_internal.job --"))
                .doesNotContain("welcome");
    }

    @Test // for as long as it is kept
    void list_ofWhatWasDoneOnADay_showsThatDay() throws Exception {
        // Once: it may be midnight in between.
        String day = String.valueOf(database.value("SELECT CURRENT_DATE - 7"));
        try (Jobs jobs =
                Jobs.on(source()).handle(WORK, (payload, running) -> {}).start()) {
            jobs.add(WORK, "long ago");
            awaitDone(1);
            int node = Integer.parseInt(String.valueOf(database.value("SELECT node FROM howdah_internal.batch")));
            assertThat(job("list", "--state", "done", "--node", String.valueOf(node), "--json"))
                    .hasLineCount(1);
            assertThat(job("list", "--state", "done", "--node", String.valueOf(node + 1), "--json"))
                    .isEmpty();
            database.execute("SELECT howdah_internal.make_day('" + day + "'); UPDATE howdah_internal.batch SET day = '"
                    + day + "', ended = ended - interval '7 days'");
            jobs.add(WORK, "now");
            awaitDone(2);
        }
        assertThat(job("list", "--state", "done", "--json")).hasLineCount(1).contains("now");
        assertThat(job("list", "--state", "done", "--day", day, "--json"))
                .hasLineCount(1)
                .contains("long ago");
        assertThat(job("list", "--state", "done", "--day", "2000-01-01")).doesNotContain("long ago");
        assertThat(wrong(2, "list", "--day", "2030-01-01"))
                .contains("the day 2030-01-01 for jobs in the state RUNNING");
        assertThat(wrong(2, "list", "--state", "waiting", "--from", "2040-01-02", "--until", "2040-01-01"))
                .contains("until has to be later");
        assertThat(wrong(2, "list", "--state", "done", "--day", "someday"))
                .contains("--day has to be a day such as 2026-12-25, not \"someday\"");
    }

    private void awaitDone(int jobs) {
        Awaitility.await()
                .until(() -> Integer.toString(jobs)
                        .equals(database.value("SELECT count(*) FROM howdah.jobs WHERE state = 'done'")));
    }

    @Test
    void show_oneJob_tellsAllOfIt() {
        CommandLineRun.installJobs(database);
        job("add", "welcome", "{\"to\": \"ann\"}", "--queue", "mail", "--at", "9999-12-31 23:59:59Z");
        assertThat(job("show", "1"))
                .containsPattern("state +planned\n")
                .containsPattern("queue +mail\n")
                .containsPattern("payload +\\{\"to\": \"ann\"\\}\n")
                .doesNotContain("node", "error");
        assertThat(job("show", "1", "--json")).hasLineCount(1).contains("\"kind\":\"welcome\"", "\"error\":null");
        assertThat(wrong(1, "show", "2")).contains("there is no job 2 in database");
        assertThat(job("list", "--state", "planned"))
                .contains(String.valueOf(database.value("SELECT run_at::text FROM howdah_internal.job")));
        assertThat(wrong(2, "show", "one")).contains("ID has to be a number, not \"one\"");
        assertThat(wrong(2, "show", "99999999999999999999")).contains("ID has to be a number");
        assertThat(wrong(2, "show")).contains("missing ID");
    }

    @Test
    void cancelAndRetry_severalJobs_sayWhatBecameOfEach() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        try (Jobs jobs = Jobs.on(source())
                .handle(WORK, (payload, running) -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                })
                .start()) {
            long runs = jobs.add(WORK, "x");
            begun.await();
            job("add", "unknown", "1", "--delay", "1 hour");
            CommandLineRun cancelled = run("cancel", Long.toString(runs), "2", "77", "--json");
            assertThat(cancelled.out())
                    .startsWith(
                            "{\"id\":1,\"changed\":true,\"result\":\"asked\"}\n{\"id\":2,\"changed\":true,\"result\":\"cancelled\"}\n"
                                    + "{\"id\":77,\"changed\":false}\n{\"error\":{\"message\":\"there is no job 77: ids up to ");
            assertThat(cancelled.err())
                    .startsWith("howdah: there is no job 77: ids up to ")
                    .hasLineCount(1);
            assertThat(cancelled.exitCode()).isEqualTo(1);
            Awaitility.await()
                    .atMost(Patience.LIMIT)
                    .until(() -> job("show", "1").contains("cancelled"));
        }
        assertThat(job("list", "--state", "cancelled", "--json")).hasLineCount(2);
        CommandLineRun again = run("cancel", "1", "2");
        assertThat(again.out()).isEmpty();
        assertThat(again.err()).isEqualTo("howdah: job 1 has ended already; job 2 has ended already\n");
        assertThat(again.exitCode()).isEqualTo(1);
        assertThat(job("retry", "1", "--json")).isEqualTo("{\"id\":1,\"changed\":true}\n");
        CommandLineRun refused = run("retry", "1", "77");
        assertThat(refused.err())
                .startsWith(
                        "howdah: job 1 is waiting: it has neither failed nor been cancelled; there is no job 77: ids up to ");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(job("show", "1")).containsPattern("state +waiting\n").containsPattern("attempt +0\n");
        assertThat(wrong(2, "cancel")).contains("missing ID");
        assertThat(wrong(2, "retry", "1", "x")).contains("has to be a number, not \"x\"");
    }

    @Test
    void addWaitAndShow_jobThatRuns_tellTheResultAndTheAttempts() {
        try (Jobs jobs = Jobs.on(source())
                .handle(WORK, (payload, running) -> {
                    if (payload.equals("bad")) throw new FatalException("no such customer");
                    running.progress(0.5, "half of it");
                    running.step("twice", String.class, () -> payload + payload);
                    running.log("got " + payload);
                    running.result(Map.of("got", payload));
                })
                .start()) {
            assertThat(job("add", "work", "\"good\"", "--wait")).isEqualTo("{\"got\": \"good\"}\n");
            assertThat(job("add", "work", "\"good\"", "--wait", "--json"))
                    .isEqualTo("{\"id\":2,\"state\":\"done\",\"result\":{\"got\":\"good\"},\"error\":null}\n");
            assertThat(wrong(1, "add", "work", "\"bad\"", "--wait")).contains("job 3 is failed: no such customer");
            Awaitility.await()
                    .atMost(Patience.LIMIT)
                    .until(() -> job("log", "1", "--json").contains("\"attempt\":1,\"line\":\"got good\"}"));
            assertThat(job("show", "1")).containsPattern("progress 0.5\n").containsPattern("message +half of it\n");
            assertThat(job("show", "1"))
                    .containsPattern("twice \\| work \\| *1 \\|")
                    .contains("\"goodgood\"");
            assertThat(job("show", "1", "--json")).contains("\"steps\":[{\"step\":\"twice\",");
            assertThat(wrong(2, "log", "1", "--limit", "100001")).contains("100001");
            assertThat(wrong(1, "log", "77")).contains("there is no job 77");
            assertThat(job("wait", "1")).isEqualTo("{\"got\": \"good\"}\n");
            assertThat(wrong(1, "wait", "77")).contains("there is no job 77");
            job("add", "unknown", "--delay", "1 hour", "--key", "k 1");
            assertThat(wrong(1, "wait", "4", "--timeout", "1")).contains("job 4 has not ended, it is planned");
            assertThat(job("show", "3"))
                    .containsPattern("attempt \\| *kind *\\| *outcome")
                    .containsPattern("1 \\| work *\\| failed");
            assertThat(job("show", "3", "--json"))
                    .contains("\"attempts\":[{\"attempt\":1,\"kind\":\"work\",\"outcome\":\"failed\",");
            assertThat(job("show", "4")).containsPattern("key +k 1\n").doesNotContain("outcome");
        }
    }

    @Test
    void changes_byFilter_countThenChange() {
        CommandLineRun.installJobs(database);
        for (int i = 0; i < 3; i++) job("add", "welcome", "{\"customer\": " + i + "}", "--queue", "mail");
        job("add", "news", "1", "--queue", "mail", "--delay", "1 hour");
        assertThat(job("list", "--state", "waiting", "--payload", "{\"customer\": 1}", "--json"))
                .hasLineCount(1);
        assertThat(job("cancel", "--all", "--queue", "mail", "--kind", "welcome", "--dry-run"))
                .isEqualTo("3 jobs meet the filter\n");
        assertThat(job("cancel", "--all", "--payload", "{\"customer\": 1}")).isEqualTo("1 job was changed\n");
        assertThat(job("move", "--all", "--to", "bulk", "--queue", "mail", "--json"))
                .isEqualTo("{\"action\":\"move\",\"state\":\"waiting\",\"jobs\":2,\"dry_run\":false}\n");
        assertThat(job("run-now", "--all", "--state", "planned")).isEqualTo("1 job was changed\n");
        assertThat(job("retry", "--all", "--state", "cancelled", "--error", "before it began"))
                .isEqualTo("1 job was changed\n");
        job("cancel", "--all");
        assertThat(job("delete", "--all", "--state", "cancelled")).isEqualTo("4 jobs were changed\n");
        assertThat(job("list", "--state", "cancelled", "--json")).isEmpty();
        job("add", "later", "1", "--delay", "1 hour");
        assertThat(job("run-now", "5", "--json")).isEqualTo("{\"id\":5,\"changed\":true}\n");
        assertThat(job("move", "5", "--to", "other")).isEqualTo("Job 5 is in queue other now.\n");
        assertThat(job("tags", "5", "--tags", "b", "--tags", "a")).isEqualTo("The tags of job 5 are set.\n");
        assertThat(database.value("SELECT queue || tags FROM howdah.jobs WHERE id = 5"))
                .isEqualTo("other[\"a\", \"b\"]");
        assertThat(database.value("SELECT string_agg(DISTINCT action, ' ' ORDER BY action) FROM howdah.audit"
                        + " WHERE via = 'cli' AND outcome = 'done'"))
                .isEqualTo("jobs.cancel jobs.delete jobs.move jobs.retry jobs.run-now jobs.tags");
        assertThat(wrong(2, "cancel", "5", "--all")).contains("--all and the id 5: it is one or the other");
        assertThat(wrong(2, "cancel", "5", "--queue", "q")).contains("the filter are for --all");
        assertThat(wrong(2, "retry", "--all", "--state", "done"))
                .contains("--state done: it has to be one of failed, cancelled");
        assertThat(wrong(2, "move", "--all")).contains("missing --to=TO");
    }

    /** Kind: the end of a range given as a day, which one face includes and another one excludes. Sessions here are not in UTC. */
    @Test
    void day_asTheEndOfARange_isOneOfUtc_andIncluded() {
        CommandLineRun.installJobs(database);
        job("add", "late", "1", "--at", "2030-01-01 23:30:00+00");
        job("add", "early", "1", "--at", "2030-01-01 00:30:00+00");
        assertThat(job("list", "--state", "planned", "--until", "2030-01-01", "--json"))
                .hasLineCount(2);
        assertThat(job("list", "--state", "planned", "--from", "2030-01-01", "--json"))
                .hasLineCount(2);
        assertThat(job("list", "--state", "planned", "--from", "2030-01-02", "--json"))
                .isEmpty();
        assertThat(job("list", "--state", "planned", "--until", "2029-12-31", "--json"))
                .isEmpty();
        assertThat(job("list", "--state", "planned", "--until", "2030-01-01 12:00+00", "--json"))
                .hasLineCount(1);
        assertThat(wrong(2, "list", "--state", "planned", "--until", "2030-02-30"))
                .contains("2030-02-30");
    }

    /** Kind: a command that ends work or loses data of many asks on a terminal only. */
    @Test
    void changesOfAll_onATerminal_askFirst() {
        CommandLineRun.installJobs(database);
        for (int i = 0; i < 3; i++) job("add", "welcome", "1", "--queue", "mail");
        String[] cancel = {"job", "cancel", "--all", "--url", database.uri()};
        CommandLineRun refused = CommandLineRun.onTerminal("no\n", cancel);
        assertThat(refused.err())
                .startsWith("Cancel all 3 waiting jobs? If they wait, they will not run.")
                .endsWith("Type yes: howdah: nothing was changed\n");
        assertThat(refused.exitCode()).isOne();
        assertThat(CommandLineRun.onTerminal("", cancel).exitCode()).isOne();
        assertThat(database.value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("3");
        assertThat(CommandLineRun.onTerminal("", "job", "move", "--all", "--to", "post", "--url", database.uri())
                        .out())
                .isEqualTo("3 jobs were changed\n");
        assertThat(CommandLineRun.onTerminal("yes\n", cancel).out()).isEqualTo("3 jobs were changed\n");
        assertThat(CommandLineRun.onTerminal(
                                "", "job", "delete", "--all", "--state", "cancelled", "--yes", "--url", database.uri())
                        .out())
                .isEqualTo("3 jobs were changed\n");
    }

    @Test
    void errorsAndStats_afterSomeWork_countIt() {
        try (Jobs jobs = Jobs.on(source())
                .handle(WORK, (payload, job) -> {
                    if (payload.startsWith("bad")) throw new FatalException("no such \"customer\"");
                })
                .start()) {
            for (String each : List.of("bad 1", "bad 2", "good")) jobs.add(WORK, each);
            Awaitility.await()
                    .atMost(Patience.LIMIT)
                    .untilAsserted(() -> assertThat(job("errors", "--json"))
                            .startsWith("{\"pattern\":\"no such \\\"...\\\"\",\"jobs\":2,\"queues\":[\"default\"],"
                                    + "\"kinds\":[\"work\"],"));
            Awaitility.await()
                    .atMost(Patience.LIMIT)
                    .untilAsserted(
                            () -> assertThat(job("stats", "--json").lines().reduce("", String::concat))
                                    .containsPattern(
                                            "\"queue\":\"default\",\"kind\":\"work\",\"done\":1,\"retried\":0,\"failed\":2"));
        }
        assertThat(job("errors", "--queue", "nothing", "--json")).isEmpty();
        assertThat(job("stats", "--queue", "nothing", "--json")).isEmpty();
        assertThat(wrong(2, "stats", "--hours", "-1")).contains("--hours has to be 1 or more, not -1");
        assertThat(wrong(2, "stats", "--hours", "many")).contains("--hours has to be a number, not \"many\"");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            add welcome {no                      | invalid input syntax for type json
            add welcome 1 --priority 101         | a priority of 101: it has to be from -100 to 100
            add welcome 1 --at noon?             | invalid input syntax for type timestamp with time zone: "noon?"
            add welcome 1 --at 10001-01-01       | it has to be in the years 1 to 9999
            add welcome 1 --delay -1h            | a delay of -01:00:00: it has to be from 0 to 1000 years
            add welcome 1 --delay 1h --at 2030-01-01 | a job has one or the other
            resume nowhere                       | there is no queue "nowhere"
            """)
    void input_wrong_isRefusedInOneLine(String words, String error) {
        CommandLineRun.installJobs(database);
        assertThat(wrong(1, words.split(" "))).contains(error);
    }

    @Test
    void add_ofUniqueJobs_saysWhichIsThereAndWhatBecameOfIt() {
        CommandLineRun.installJobs(database);
        assertThat(job("add", "index", "{\"a\": 1, \"b\": 2}", "--unique", "payload", "--within", "1 hour", "--json"))
                .isEqualTo("{\"id\":1,\"added\":true}\n");
        assertThat(job("add", "index", "{\"b\": 2, \"a\": 1}", "--unique", "payload", "--within", "1 hour", "--json"))
                .isEqualTo("{\"id\":1,\"added\":false}\n");
        job("add", "mail", "[1]", "--key", "ann", "--delay", "1 hour", "--then", "append", "--most", "2");
        assertThat(job("add", "mail", "[2]", "--key", "ann", "--then", "append", "--most", "2", "--json"))
                .contains("\"id\":2,");
        assertThat(job("show", "2", "--json")).contains("\"payload\":[1,2]");
        job("add", "sum", "1", "--key", "k", "--delay", "1 hour");
        assertThat(job("add", "sum", "2", "--key", "k", "--delay", "2 hours", "--then", "push-back", "--json"))
                .contains("\"id\":3,");
        assertThat(job("show", "3", "--json")).contains("\"payload\":2");
        assertThat(wrong(1, "add", "sum", "2", "--unique", "name"))
                .contains("unique by \"name\": it has to be key or payload");
        assertThat(wrong(1, "add", "sum", "2", "--key", "k", "--then", "run-last"))
                .contains("unique, then \"run_last\" needs a window");
    }

    @Test
    void names_longOrStrange_areRefusedOrQuoted() {
        CommandLineRun.installJobs(database);
        assertThat(wrong(1, "add", "k", "1", "--queue", "q".repeat(10_000)))
                .contains("the name of a queue has 1 to 200 characters, not 10000");
        assertThat(wrong(1, "add", "k".repeat(201), "1"))
                .contains("the name of a kind has 1 to 200 characters, not 201");
        assertThat(wrong(1, "add", "k", "1", "--key", "k".repeat(401)))
                .contains("a key has 1 to 400 characters, not 401");
        String strange = "it's \"mine\"; DROP TABLE howdah_internal.job --";
        job("add", strange, "1", "--queue", strange);
        assertThat(job("pause", strange)).isEqualTo("Queue " + strange + " is paused.\n");
        assertThat(job("pause", strange)).isEqualTo("Queue " + strange + " was paused already.\n");
        job("add", strange, "2", "--queue", strange); // it may be added to, and waits
        assertThat(job("list", "--state", "waiting", "--queue", strange, "--json"))
                .hasLineCount(2);
        assertThat(job("resume", strange)).isEqualTo("Queue " + strange + " goes on.\n");
    }

    @Test
    void tables_ofAnOlderVersion_areSaidWithTheirVersionAndTheRemedy() {
        // No version before this one was released.
        CommandLineRun.installJobs(database);
        database.execute("UPDATE howdah.migration SET version = -1 WHERE feature = 'job';"
                + " DROP FUNCTION howdah_internal.log_waiting");
        assertThat(wrong(1, "list", "--state", "waiting"))
                .contains("the tables of jobs in database", "have version -1", "needs " + Jobs.schemaVersion())
                .contains("howdah job install")
                .doesNotContain("there are no jobs");
    }

    @Test
    void tables_notThereOrGone_isSaidWithTheRemedy() {
        assertThat(wrong(1, "list", "--state", "waiting"))
                .contains("there are no jobs in database", "howdah job install");
        assertThat(job("uninstall")).isEqualTo("the tables of jobs are gone\n");
        CommandLineRun.installJobs(database);
        job("add", "welcome");
        assertThat(wrong(1, "uninstall"))
                .contains("jobs are still there: 1 wait; --force removes the tables all the same");
        assertThat(job("uninstall", "--force")).isEqualTo("the tables of jobs are gone\n");
        assertThat(database.value("SELECT to_regnamespace('howdah') IS NULL")).isEqualTo("t");
        CommandLineRun nobody = CommandLineRun.of(
                "",
                Map.of("HOME", "/nonexistent"),
                "job",
                "list",
                "--url",
                "postgresql://postgres:hidden@127.0.0.1:1/x");
        assertThat(nobody.exitCode()).isEqualTo(1);
        assertThat(nobody.err())
                .contains("cannot use database \"x\"")
                .doesNotContain("hidden")
                .hasLineCount(1);
    }

    @Test
    void show_aMomentOfNow_isWrittenAsByPostgresql() {
        CommandLineRun.installJobs(database);
        job("add", "welcome");
        job("add", "welcome", "--at", "2020-02-03 04:05:06.7Z");
        String text = String.valueOf(
                database.value("SELECT string_agg(run_at::text, ',' ORDER BY id) FROM howdah_internal.job"));
        assertThat(text.split(",")).hasSize(2);
        assertThat(job("show", "1")).contains("run_at   " + text.split(",")[0] + "\n");
        assertThat(job("show", "2")).contains("run_at   " + text.split(",")[1] + "\n");
    }

    @Test
    void show_asJson_hasThePayloadAsJsonAndTimesInIsoFormat() {
        CommandLineRun.installJobs(database);
        job("add", "welcome", "{\"to\": [1, 2.50]}", "--at", "2030-01-02 03:04:05+00");
        assertThat(job("show", "1", "--json"))
                .contains("\"payload\":{\"to\":[1,2.50]}", "\"run_at\":\"2030-01-02T03:04:05Z\"");
        assertThat(job("list", "--state", "planned", "--json")).contains("\"run_at\":\"2030-01-02T03:04:05Z\"");
        CommandLineRun missing = run("show", "2", "--json");
        assertThat(missing.out())
                .startsWith("{\"error\":{\"message\":\"there is no job 2 in ")
                .hasLineCount(1);
        assertThat(missing.err()).startsWith("howdah: there is no job 2 in ");
    }
}
