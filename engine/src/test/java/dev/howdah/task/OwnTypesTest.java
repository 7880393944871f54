package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables that a user has made with types of columns that can be cast to those of the extension. */
@PostgresTest
class OwnTypesTest {
    private static final String LIKE_OURS =
            "id bigserial PRIMARY KEY, input text NOT NULL, plan timestamptz, \"group\" text,";
    private static final String OTHERS =
            "id serial PRIMARY KEY, input varchar NOT NULL, plan timestamp, start timestamp, stop timestamp without time zone,"
                    + " \"group\" varchar(40), max smallint, count bigint, pid bigint, output varchar, error varchar, remote character varying,"
                    + " delimiter text, quote varchar, escape char(1), \"null\" varchar(10), parent integer, retry integer, ";
    private static final String STATES = "('PLAN', 'GONE', 'TAKE', 'WORK', 'DONE', 'FAIL', 'STOP')";

    private final TestDatabase database;

    OwnTypesTest(TestDatabase database) {
        this.database = database;
    }

    private ServedTable serve() {
        return ServedTable.in(database, how -> how.adopt(true));
    }

    private String refusal() {
        try (ServedTable refused =
                ServedTable.begin(database, database.uri(), "public", "task", how -> how.adopt(true))) {
            return refused.refused();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "state varchar(10) DEFAULT 'PLAN' CHECK (state IN " + STATES + ")",
                "state own_state DEFAULT 'PLAN'"
            })
    void table_ofCastableTypes_isServedAsItIs(String state) {
        database.execute(
                "CREATE TYPE own_state AS ENUM ('NEW', 'STOP', 'FAIL', 'DONE', 'WORK', 'TAKE', 'GONE', 'PLAN');"
                        + " CREATE TABLE task (" + OTHERS + state + ")");
        // A timestamp without a zone is one in the zone of the owner's sessions, here also that of the sessions that
        // add.
        database.execute("ALTER DATABASE " + database.name() + " SET TimeZone = '"
                + TimeZone.getDefault().getID() + "'");
        String columns = "SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum)"
                + " FROM pg_attribute WHERE attrelid = 'task'::regclass AND attnum BETWEEN 1 AND 19";
        String before = String.valueOf(database.value(columns));
        try (ServedTable tasks = serve()) {
            Task ended = tasks.run("SELECT 1 AS a, 'x' AS b", "delimiter", ";", "quote", "\"");
            assertThat(ended.state()).isEqualTo(TaskState.DONE);
            assertThat(ended.output()).isEqualTo("\"a\";\"b\"\n1;\"x\"");
            assertThat(tasks.value("SELECT round(extract(epoch FROM now() - start) / 3600) FROM task"))
                    .isEqualTo("0");
            assertThat(tasks.run("SELECT 1/0", "attempts", "2", "backoff", "1 ms")
                            .state())
                    .isEqualTo(TaskState.FAIL);
            tasks.awaitTrue("SELECT count(*) = 3 FROM task WHERE state IN ('DONE', 'FAIL')");
            long first = tasks.add("SELECT 2", "max", "-50", "repeat", "0.1 s", "count", "1");
            tasks.awaitTrue("SELECT count(*) >= 2 FROM task WHERE parent >= " + first + " OR id = " + first
                    + " AND state = 'DONE'");
            long next = tasks.add("SELECT 3", "after", "{" + ended.id() + "}");
            assertThat(tasks.ended(next).output()).isEqualTo("3");
            assertThat(tasks.run("SELECT 4", "once", "true").state()).isEqualTo(TaskState.DONE);
            assertThat(tasks.ended(tasks.add("SELECT 5", "plan", "epoch")).state())
                    .isEqualTo(TaskState.GONE);
            tasks.execute(
                    "SELECT task_schedule('put', '{\"schedule\": \"nightly\", \"input\": \"SELECT 6\", \"cron\": \"0 3 * * *\"}')");
            tasks.awaitTrue("SELECT state = 'waiting' AND next > now() FROM task_schedules()");
            assertThat(TaskTable.on(dev.howdah.Database.of(database.uri()), "public", "task")
                            .list(TaskQuery.all().limit(100))
                            .tasks())
                    .isNotEmpty();
        }
        assertThat(database.value(columns)).isEqualTo(before);
        assertThat(database.value("SELECT to_regtype('state') IS NULL"))
                .isEqualTo(state.startsWith("data") ? "f" : "t");
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"state text", "state char(4)", "data text"})
    void table_ofFurtherCastableTypes_isServedAsItIs(String state) {
        table_ofCastableTypes_isServedAsItIs(state);
    }

    @Test
    void columns_thatCannotBeCast_areNamedAtOnce() {
        database.execute(
                "CREATE TABLE task (" + LIKE_OURS
                        + " state text CHECK (state IN ('PLAN', 'WORK', 'DONE')), active text DEFAULT '1 day', delete integer, after int[])");
        String refusal = refusal();
        assertThat(refusal)
                .contains("\"active\" of public.task is of type text, interval is needed")
                .contains("\"delete\" of public.task is of type integer, boolean is needed")
                .contains("\"after\" of public.task is of type integer[], bigint[] is needed")
                .contains("\"state\"", "task_state_check", "FAIL", "GONE", "STOP", "TAKE")
                .contains("ALTER COLUMN \"active\" TYPE interval USING \"active\"::interval")
                .contains("ALTER COLUMN \"delete\" TYPE boolean USING \"delete\"::boolean");
        database.execute(refusal.substring(refusal.indexOf("ALTER TABLE")));
        database.execute("ALTER TABLE task DROP CONSTRAINT task_state_check");
        try (ServedTable tasks = serve()) {
            assertThat(tasks.run("SELECT 1").output()).isEqualTo("1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"state varchar(3)", "state other"})
    void state_thatCannotHoldTheStates_isRefused(String state) {
        database.execute("CREATE TYPE other AS ENUM ('PLAN', 'WORK'); CREATE TABLE task (" + LIKE_OURS + state + ")");
        assertThat(refusal()).contains("column \"state\" of public.task");
        assertThat(database.value("SELECT count(*) FROM pg_attribute WHERE attrelid = 'task'::regclass AND attnum > 0"))
                .isEqualTo("5");
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"state integer", "state jsonb"})
    void state_ofATypeThatCannotHoldTheStates_isRefused(String state) {
        state_thatCannotHoldTheStates_isRefused(state);
    }

    @Test
    void end_thatDoesNotFitItsColumn_failsTheTask() {
        database.execute("CREATE TABLE task (" + LIKE_OURS + " state text, output varchar(5), error varchar(200))");
        try (ServedTable tasks = serve()) {
            assertThat(tasks.run("SELECT 'too long'").state()).isEqualTo(TaskState.FAIL);
            assertThat(tasks.run("SELECT 'short'").state()).isEqualTo(TaskState.DONE);
        }
    }

    @Test
    void table_withPartitionsByTime_isServed() {
        database.execute(
                "CREATE TABLE task (id bigserial, input text NOT NULL, plan timestamptz NOT NULL DEFAULT now(),"
                        + " PRIMARY KEY (id, plan)) PARTITION BY RANGE (plan);"
                        + " CREATE TABLE task_old PARTITION OF task FOR VALUES FROM (MINVALUE) TO (now() - interval '1 day');"
                        + " CREATE TABLE task_now PARTITION OF task DEFAULT");
        try (ServedTable tasks = serve()) {
            Task ended = tasks.run("SELECT 1");
            assertThat(ended.output()).isEqualTo("1");
            assertThat(tasks.ended(tasks.add("SELECT 2", "after", "{" + ended.id() + "}"))
                            .output())
                    .isEqualTo("2");
            String group = tasks.newGroup();
            for (String each : List.of("SELECT 3", "SELECT 4")) tasks.add(each, "group", group, "max", "-10");
            tasks.settled(group);
            assertThat(tasks.all(group, "output")).isEqualTo("3|4");
            // Planned anew it moves to the other partition.
            long old = tasks.add("SELECT 5", "plan", "epoch", "active", "100 years");
            assertThat(tasks.ended(old).output()).isEqualTo("5");
            tasks.execute("UPDATE task SET state = 'PLAN', plan = now() WHERE id = " + old);
            assertThat(tasks.ended(old).state()).isEqualTo(TaskState.DONE);
            assertThat(tasks.value("SELECT tableoid::regclass::text FROM task WHERE id = " + old))
                    .isEqualTo("task_now");
        }
    }
}
