package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.unique.Unique;
import dev.howdah.job.workflow.Workflow;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Control characters in names, keys and tags: refused where they enter; what has them already is read, cancelled and deleted. */
@PostgresTest
class JobNamesTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);
    private static final String ESC = "x\u001b[2J";
    private static final List<String> NAMED = List.of(
            "howdah_internal.lane",
            "howdah_internal.queue_limit",
            "howdah_internal.rate_limit",
            "howdah.retention",
            "howdah.schedule");
    private static final String REST =
            ": it can have no control characters, and none that change the direction of writing";

    private final TestDatabase given;

    JobNamesTest(TestDatabase database) {
        this.given = database;
    }

    private static void assertRefused(String what, ThrowingCallable call) {
        assertThatThrownBy(call).as(what).hasMessageContaining(what + " has the character U+001B at position 2" + REST);
    }

    @Test
    void names_inJava_areRefusedWhereTheyEnter() {
        JobsDatabase database = JobsDatabase.in(given);
        NewJob<Integer> job = NewJob.of(WORK, 1);
        try (Jobs jobs = database.jobs().start()) {
            List<NewJob<Integer>> wrong = List.of(
                    job.queue(ESC),
                    NewJob.of(Kind.of(ESC, Integer.class), 1),
                    job.key(ESC),
                    job.unique(Unique.byKey(ESC).replacing()),
                    job.orderKey(ESC));
            List<String> what = List.of("the name of a queue", "the name of a kind", "a key", "a key", "an order key");
            for (int i = 0; i < wrong.size(); i++) {
                NewJob<Integer> each = wrong.get(i);
                assertRefused(what.get(i), () -> jobs.add(each));
                assertRefused(what.get(i), () -> jobs.addAsync(each).join());
                assertRefused(what.get(i), () -> jobs.addEach(List.of(job, each)));
                // A schedule takes no order key.
                if (each.orderKey() == null)
                    assertRefused(what.get(i), () -> jobs.schedules().put(Schedule.cron("s", "@daily"), each));
            }
            assertRefused("the name of a queue", () -> jobs.addAll(List.of(job, job.queue(ESC))));
            assertRefused("a tag", () -> job.tags("a", ESC));
            assertRefused("a tag", () -> WORK.tags(ESC));
            assertRefused("the name of a group", () -> job.group(ESC));
            assertRefused("the name of a schedule", () -> jobs.schedules().put(Schedule.cron(ESC, "@daily"), job));
            assertRefused("the name of a workflow", () -> Workflow.of(ESC));
            assertRefused("the name of a pipeline", () -> Pipeline.of(ESC));
            JobAdmin admin = jobs.admin();
            assertRefused("the name of a queue", () -> admin.pause(ESC));
            assertRefused("the name of a queue", () -> admin.setLimit(ESC, 1));
            assertRefused("the name of a kind", () -> admin.pause("q", ESC));
            assertThat(given.value("SELECT count(*) FROM howdah.jobs")).isEqualTo("0");
            // Texts of users are theirs.
            jobs.add(NewJob.of(Kind.of("text", String.class), ESC).metadata(Map.of("from", ESC)));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void names_inSql_areRefusedWhereTheyEnter(int major) {
        try (TestDatabase own = TestDatabase.create(TestServer.of(major))) {
            JobsDatabase database = JobsDatabase.in(own);
            for (String[] each : new String[][] {
                {"the name of a queue", "add(%s, 'k', '1')"},
                {"the name of a kind", "add('q', %s, '1')"},
                {"a key", "add('q', 'k', '1', key => %s)"},
                {"a tag", "add('q', 'k', '1', options => jsonb_build_object('tags', jsonb_build_array('a', %s)))"},
                {"the name of a group", "add('q', 'k', '1', options => jsonb_build_object('group', %s))"},
                {"the name of a queue", "add_many(%s, 'k', '{1,2}')"},
                {"the name of a kind", "add_many('q', %s, '{1,2}')"},
                {"the name of a kind", "add_keyed_many('q', %s, '{1,2}', '{a,b}')"},
                {"a key", "add_keyed_many('q', 'k', '{1,2}', ARRAY['a', %s])"},
                {"an order key", "add_ordered('q', 'k', '1', %s)"},
                {
                    "the name of a job of a workflow",
                    "add_workflow(json_build_array(json_build_object('name', %s, 'kind', 'k')))"
                },
                {"the name of a workflow", "add_workflow('[{\"name\": \"a\", \"kind\": \"k\"}]', %s)"},
                {"the name of a schedule", "schedule(%s, 'q', 'k', cron => '@daily')"},
                {"a key", "schedule('s', 'q', 'k', cron => '@daily', key => %s)"},
                {"the name of a calendar", "add_holidays(%s, '{2026-12-25}')"},
                {"the name of a pipeline", "put_pipeline(%s, '[{\"name\": \"a\", \"kind\": \"sql\"}]')"},
                {"the name of a queue", "\"limit\"(%s, 1)"},
                {"the name of a kind", "\"limit\"('q', 1, %s)"},
                {"the name of a queue", "rate_limit(%s, 1, '1 s')"},
                {"the name of a group", "share('q', %s, 2)"},
                {"the name of a queue", "age(%s, '1 min')"},
                {"the name of a queue", "retain(%s, 'done', '1 day')"},
                {"the name of a queue", "pause(%s)"},
                {"the name of a kind", "pause('q', %s)"},
                {"a tag", "count_tag(%s)"},
                {"the name of a queue", "queue(%s, 'log')"}
            })
                assertRefused(
                        each[0], () -> database.execute("SELECT howdah." + String.format(each[1], "E'x\\x1b[2J'")));
            database.execute("SELECT howdah.queue('log', 'log')");
            assertRefused(
                    "the name of a reader", () -> database.execute("SELECT howdah.add_reader('log', E'x\\x1b[2J')"));
            for (String c : List.of("0085", "202E", "2066"))
                assertThatThrownBy(() -> database.execute("SELECT howdah.add(E'\\u" + c + "', 'k', '1')"))
                        .hasMessageContaining("the name of a queue has the character U+" + c + " at position 1" + REST);
            assertThat(own.value("SELECT count(*) FROM howdah.jobs")).isEqualTo("0");
            database.execute("SELECT howdah.add('größe \"', E'\\u200f', to_json(E'x\\x1b'::text), key => '€')");
        }
    }

    @Test
    void names_thatAreThere_areReadCancelledAndDeleted() {
        JobsDatabase database = JobsDatabase.in(given);
        String bad = "E'x\\x1b[2J'";
        for (String table : NAMED) database.execute("ALTER TABLE " + table + " DISABLE TRIGGER check_new");
        database.execute("INSERT INTO howdah_internal.lane (queue) VALUES (" + bad + ");"
                + " INSERT INTO howdah_internal.lane_priority SELECT id, 0 FROM howdah_internal.lane;"
                + " SELECT howdah.limit(" + bad + ", 3); SELECT howdah.rate_limit(" + bad + ", 3, '1 min');"
                + " SELECT howdah.retain(" + bad + ", 'done', '1 day');"
                + " INSERT INTO howdah.schedule (name, queue, kind, payload, cron, zone, missed, starts_at, key) VALUES ("
                + bad + ", " + bad + ", " + bad + ", '1', '@daily', 'UTC', 'once', now(), " + bad + ")");
        for (String table : NAMED) database.execute("ALTER TABLE " + table + " ENABLE TRIGGER check_new");
        try (Jobs jobs = database.jobs().start()) {
            for (int i = 0; i < 2; i++)
                database.execute("INSERT INTO howdah_internal.job (id, lane, kind, priority, run_at, payload) SELECT"
                        + " nextval('howdah_internal.job_id_seq'), l.id, " + bad
                        + ", 0, now(), '1' FROM howdah_internal.lane l");
            JobAdmin admin = jobs.admin();
            JobQuery those = JobQuery.in(JobState.WAITING).queue(ESC).kind(ESC);
            List<Long> ids =
                    admin.list(those).jobs().stream().map(JobSummary::id).toList();
            assertThat(ids).hasSize(2);
            assertThat(admin.cancel(ids.get(0))).isEqualTo(CancelResult.CANCELLED);
            assertThat(admin.delete(ids.get(0))).isTrue();
            assertThat(admin.pause(ESC)).isTrue();
            assertThat(admin.resume(ESC)).isTrue();
            assertThat(admin.cancelAll(those)).isEqualTo(1);
            admin.removeLimit(ESC);
            assertThat(jobs.schedules().all()).hasSize(1);
            assertThat(jobs.schedules().remove(ESC)).isTrue();
        }
        database.execute(
                "SELECT howdah.rate_limit(" + bad + ", NULL, NULL); SELECT howdah.retain(" + bad + ", 'done', NULL)");
        assertThat(given.value("SELECT count(*) FROM howdah_internal.queue_limit, howdah_internal.rate_limit"))
                .isEqualTo("0");
    }
}
