package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.serializer.GsonSerializer;
import com.github.kagkarlsson.scheduler.serializer.JacksonSerializer;
import com.github.kagkarlsson.scheduler.serializer.JavaSerializer;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.PlainScheduleAndData;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTask;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTaskWithPersistentSchedule;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.FixedDelay;
import dev.howdah.Database;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import java.io.Serializable;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The import from db-scheduler, out of the table that the library itself has filled. */
@PostgresTest
@Tag("long")
class DbSchedulerImportTest {
    /** As db-scheduler's documentation has it for PostgreSQL. */
    private static final String TABLE =
            "CREATE TABLE scheduled_tasks (task_name text NOT NULL, task_instance text NOT NULL,"
                    + " task_data bytea, execution_time timestamptz NOT NULL, picked boolean NOT NULL, picked_by text,"
                    + " last_success timestamptz, last_failure timestamptz, consecutive_failures integer,"
                    + " last_heartbeat timestamptz, version bigint NOT NULL, priority smallint,"
                    + " PRIMARY KEY (task_name, task_instance))";

    private static final Instant LATER = Instant.parse("2040-05-06T07:08:09.123456Z");

    /** Data of a task. */
    public static class Mail implements Serializable {
        private static final long serialVersionUID = 1;

        public String to = "";
    }

    private static final OneTimeTask<Mail> MAIL =
            Tasks.oneTime("mail", Mail.class).execute((instance, context) -> {});
    private static final OneTimeTask<Void> PING = Tasks.oneTime("ping").execute((instance, context) -> {});

    private SessionSource source = new SessionSource(Database.of("postgresql://127.0.0.1/none", Map.of()));

    @BeforeEach
    void create(TestDatabase database) throws Exception {
        source = new SessionSource(Database.of(database.uri(), Map.of()));
        database.execute(TABLE);
        try (Connection connection = source.getConnection()) {
            Jobs.install(connection);
        }
    }

    private SchedulerClient client(Serializer serializer) {
        return SchedulerClient.Builder.create(source, MAIL, PING)
                .serializer(serializer)
                .build();
    }

    private static Mail to(String address) {
        Mail mail = new Mail();
        mail.to = address;
        return mail;
    }

    private static CommandLineRun howdah(TestDatabase database, String... words) {
        List<String> all = new ArrayList<>(List.of("import", "db-scheduler", "--url", database.uri()));
        all.addAll(List.of(words));
        return CommandLineRun.of("", Map.of(), all.toArray(String[]::new));
    }

    private static String imported(TestDatabase database, String... words) {
        CommandLineRun run = howdah(database, words);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    @Test
    void executions_withJson_becomeJobsThatRunOnce(TestDatabase database) throws Exception {
        client(new JacksonSerializer()).schedule(MAIL.instance("1", to("ann@example.com")), LATER);
        client(new GsonSerializer()).schedule(MAIL.instance("2", to("bob@example.com")), Instant.now());
        client(new GsonSerializer()).schedule(PING.instance("3"), LATER);
        assertThat(imported(database, "--task", "mail=welcome", "--task", "ping", "--dry-run", "--json"))
                .isEqualTo("""
                        {"task":"mail","kind":"welcome","instance":null,"count":2,"result":"to be moved","note":null}
                        {"task":"ping","kind":"ping","instance":null,"count":1,"result":"to be moved","note":null}
                        """);
        assertThat(database.value("SELECT count(*) FROM scheduled_tasks")).isEqualTo("3");
        assertThat(database.value("SELECT count(*) FROM howdah.jobs")).isEqualTo("0");

        assertThat(imported(database, "--task", "mail=welcome", "--task", "ping", "--json"))
                .contains("\"count\":2,\"result\":\"moved\"", "\"count\":1,\"result\":\"moved\"");
        assertThat(database.value("SELECT count(*) FROM scheduled_tasks")).isEqualTo("0");
        assertThat(database.value("SELECT string_agg(concat_ws(' ', kind, queue, payload, run_at = '" + LATER
                        + "'), ', ' ORDER BY id) FROM howdah.jobs"))
                .isEqualTo(
                        "welcome default {\"to\":\"ann@example.com\"} t, welcome default {\"to\":\"bob@example.com\"} f,"
                                + " ping default null t");
        // Again there is nothing.
        assertThat(imported(database, "--task", "mail=welcome", "--json")).contains("\"count\":0");
        Queue<String> sent = new ConcurrentLinkedQueue<>();
        try (Jobs jobs = Jobs.on(source)
                .handle(Kind.of("welcome", Mail.class), (mail, context) -> sent.add(mail.to))
                .start()) {
            await().atMost(Patience.LIMIT).untilAsserted(() -> assertThat(sent).containsExactly("bob@example.com"));
        }
    }

    @Test
    void executions_thatAreNotDueOnce_areLeftByName(TestDatabase database) throws Exception {
        client(new JavaSerializer()).schedule(MAIL.instance("java", to("ann@example.com")), LATER);
        client(new GsonSerializer()).schedule(MAIL.instance("key", to("ann@example.com")), LATER);
        client(new GsonSerializer()).schedule(MAIL.instance("runs", to("ann@example.com")), LATER);
        RecurringTask<Void> nightly =
                Tasks.recurring("nightly", FixedDelay.ofHours(1)).execute((instance, context) -> {});
        RecurringTaskWithPersistentSchedule<PlainScheduleAndData> persistent = Tasks.recurringWithPersistentSchedule(
                        "persistent", PlainScheduleAndData.class)
                .execute((instance, context) -> {});
        for (Serializer each : List.of(new JacksonSerializer(), new GsonSerializer()))
            client(each)
                    .schedule(persistent.schedulableInstance(
                            each.getClass().getSimpleName(),
                            new PlainScheduleAndData(FixedDelay.ofHours(1), to("ann@example.com"))));
        // The scheduler itself adds its recurring task when it starts.
        Scheduler scheduler = Scheduler.create(source)
                .startTasks(nightly)
                .pollingInterval(Duration.ofHours(1))
                .build();
        scheduler.start();
        scheduler.stop();
        database.execute("UPDATE scheduled_tasks SET picked = true WHERE task_instance = 'runs';"
                + " INSERT INTO scheduled_tasks (task_name, task_instance, task_data, execution_time, picked, version) VALUES"
                + " ('mail', 'bytes', '\\xfffe', now(), false, 1), ('mail', 'text', convert_to('{\"to\"', 'UTF8'), now(), false, 1),"
                + " ('mail', 'zero', '\\x00', now(), false, 1), ('mail', 'empty', '', now(), false, 1);"
                + " SELECT howdah.add('default', 'mail', '{}', key => 'key')");
        String out = imported(
                database, "--task", "mail", "--task", "nightly", "--task", "persistent", "--task", "none", "--json");
        assertThat(out.lines().filter(each -> each.contains("\"left\"")))
                .allMatch(each -> each.contains("\"count\":1"))
                .extracting(each -> each.replaceFirst(".*\"instance\":\"([^\"]*)\".*\"note\":\"([^\"]*)\".*", "$1: $2"))
                .containsExactlyInAnyOrder(
                        "java: its data are in Java's own serialization: a program that has their class can read them",
                        "bytes: its data are no JSON",
                        "text: its data are no JSON",
                        "zero: its data are no JSON",
                        "empty: its data are no JSON",
                        "key: there is a job with its key already",
                        "runs: it runs there now: import again when it has ended",
                        "recurring: it is a recurring task, whose schedule stands in the code of its program: add a schedule of jobs",
                        "JacksonSerializer: its data have a schedule, by which it repeats: add a schedule of jobs",
                        "GsonSerializer: its data have a schedule, by which it repeats: add a schedule of jobs");
        assertThat(out.lines().filter(each -> each.contains("\"moved\"")))
                .allMatch(each -> each.contains("\"count\":0"));
        assertThat(database.value("SELECT count(*) FROM scheduled_tasks")).isEqualTo("10");
        assertThat(database.value("SELECT count(*) FROM howdah.jobs")).isEqualTo("1");
    }

    @Test
    void executions_moreThanOfOneTransaction_areAllMoved(TestDatabase database) throws Exception {
        database.execute(
                "INSERT INTO scheduled_tasks (task_name, task_instance, task_data, execution_time, picked, version)"
                        + " SELECT 'mail', 'n' || i, convert_to(format('{\"to\": \"%s\"}', i), 'UTF8'), now(), i = 3, 1"
                        + " FROM generate_series(1, 1201) i");
        assertThat(imported(database, "--task", "mail")).contains("1200", "moved", "n3");
        assertThat(database.value("SELECT count(*) || ' ' || count(DISTINCT payload::text) FROM howdah.jobs"))
                .isEqualTo("1200 1200");
        assertThat(database.value("SELECT string_agg(task_instance, ',') FROM scheduled_tasks"))
                .isEqualTo("n3");
    }

    /** Killed in the middle of its second transaction, it has done the first one and nothing of this one; the next import does the rest. */
    @Test
    void command_killedInTheMiddle_losesNothingAndRepeatsNothing(TestDatabase database, @TempDir Path home)
            throws Exception {
        database.execute(
                "INSERT INTO scheduled_tasks (task_name, task_instance, task_data, execution_time, picked, version)"
                        + " SELECT 'mail', to_char(i, 'FM0000'), convert_to(format('{\"to\": \"%s\"}', i), 'UTF8'), now(), false, 1"
                        + " FROM generate_series(1, 1201) i;"
                        // The lane is there.
                        + " SELECT howdah.add('default', 'mail', '0')");
        try (Connection other = database.connect();
                Statement adds = other.createStatement()) {
            other.setAutoCommit(false);
            // Its key is taken, or is not: the import waits for the end of this transaction.
            adds.execute("SELECT howdah.add('default', 'mail', '1', key => '0700')");
            try (HowdahProcess imports = HowdahProcess.start(
                    home, Map.of(), "import", "db-scheduler", "--url", database.uri(), "--task", "mail")) {
                await().atMost(Patience.LIMIT)
                        .untilAsserted(() -> assertThat(database.value("SELECT count(*) FROM pg_stat_activity"
                                        + " WHERE datname = current_database() AND wait_event_type = 'Lock'"))
                                .as(imports::err)
                                .isEqualTo("1"));
                imports.kill();
            }
            other.rollback();
        }
        assertThat(database.value("SELECT count(*) FROM howdah.jobs WHERE key IS NOT NULL"))
                .isEqualTo("500");
        assertThat(database.value("SELECT count(*) FROM scheduled_tasks")).isEqualTo("701");
        assertThat(imported(database, "--task", "mail", "--json")).contains("\"count\":701,\"result\":\"moved\"");
        assertThat(database.value("SELECT count(*) || ' ' || count(DISTINCT payload::text) FROM howdah.jobs"
                        + " WHERE key IS NOT NULL"))
                .isEqualTo("1201 1201");
        assertThat(database.value("SELECT count(*) FROM scheduled_tasks")).isEqualTo("0");
    }

    @Test
    void command_wrongInput_saysWhatIsWrong(TestDatabase database) throws Exception {
        assertThat(howdah(database).exitCode()).isEqualTo(2);
        assertThat(howdah(database, "--task", "=x").err()).contains("--task =x: it has to be the name of a task");
        assertThat(howdah(database, "--task", "a", "--task", "a=b").err()).contains("it is given twice");
        database.execute(
                "INSERT INTO scheduled_tasks (task_name, task_instance, execution_time, picked, version) VALUES"
                        + " ('a', '1', now(), false, 1)");
        CommandLineRun kind = howdah(database, "--task", "a=" + "x".repeat(300));
        assertThat(kind.exitCode()).isOne();
        assertThat(kind.err()).contains("kind");
        assertThat(howdah(database, "--task", "a", "--installation", "acme").err())
                .contains("there are no jobs in ");
        database.execute("ALTER TABLE scheduled_tasks RENAME TO other");
        assertThat(howdah(database, "--task", "a").err())
                .contains("there is no table scheduled_tasks in ", "search_path");
    }

    /** What a program on the way out of db-scheduler has in its table is read as text of UTF-8. */
    @Test
    void executions_withOtherLetters_keepThem(TestDatabase database) throws Exception {
        client(new GsonSerializer()).schedule(MAIL.instance("ü \"'; DROP TABLE", to("анна@example.com")), LATER);
        imported(database, "--task", "mail");
        assertThat(database.value("SELECT payload FROM howdah.jobs")).isEqualTo("{\"to\":\"анна@example.com\"}");
    }
}
