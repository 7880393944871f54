package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.task.internal.store.TableName;
import dev.howdah.task.internal.table.TableInstaller;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The table is made, completed, left as the user has it, or refused with the remedy. */
@PostgresTest
class TaskTableSetupTest {
    private final TestDatabase database;

    TaskTableSetupTest(TestDatabase database) {
        this.database = database;
    }

    private ServedTable serve() {
        return ServedTable.in(database);
    }

    private String refusal(String uri) {
        try (ServedTable tasks = ServedTable.begin(database, uri, "public", "task")) {
            return tasks.refused();
        }
    }

    private String columns() {
        return String.valueOf(
                database.value(
                        "SELECT string_agg(concat_ws(' ', attname, format_type(atttypid, NULL), attnotnull,"
                                + " pg_get_expr(adbin, adrelid)), E'\\n' ORDER BY attname) FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid"
                                + " AND adnum = attnum WHERE attrelid = 'public.task'::regclass AND attnum > 0 AND NOT attisdropped"));
    }

    private String objects() {
        return String.valueOf(
                database.value("SELECT string_agg(o, E'\\n' ORDER BY o) FROM (SELECT pg_get_indexdef(indexrelid) FROM"
                        + " pg_index WHERE indrelid = 'public.task'::regclass UNION ALL SELECT pg_get_constraintdef(oid) FROM pg_constraint"
                        + " WHERE conrelid = 'public.task'::regclass AND contype <> 'n' UNION ALL SELECT pg_get_triggerdef(oid) || tgenabled::text"
                        + " FROM pg_trigger WHERE tgrelid = 'public.task'::regclass) x (o)"));
    }

    @Test
    void table_missing_isMade() {
        serve().close();
        assertThat(
                        database.value(
                                "SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'task'::regclass AND attnum > 0"))
                .isEqualTo(
                        "id parent plan start stop active live repeat timeout count max pid state delete drift header save"
                                + " string delimiter escape quote data error group input null output remote hash notify cron zone attempts backoff retry once after schedule on_failure sqlstate notices duration owner owner_oid");
        assertThat(
                        database.value(
                                "SELECT array_agg(enumlabel ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = 'state'::regtype"))
                .isEqualTo("{PLAN,GONE,TAKE,WORK,DONE,FAIL,STOP}");
        assertThat(
                        database.value(
                                "SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'task'::regclass AND attnum > 0 AND NOT attnotnull"))
                .isEqualTo(
                        "parent start stop pid data error output remote hash notify cron zone retry after schedule on_failure sqlstate notices duration owner_oid");
        assertThat(
                        database.value(
                                "SELECT string_agg(conname, ' ' ORDER BY conname) FROM pg_constraint WHERE conrelid = 'task'::regclass AND contype <> 'n'"))
                .isEqualTo(
                        "task_active_check task_after_check task_attempts_check task_backoff_check task_count_check task_cron_check"
                                + " task_cron_or_repeat_check task_duration_check task_live_check task_notify_check task_pkey task_repeat_check task_timeout_check");
    }

    @Test
    void table_made_hasTheDefaults() {
        try (ServedTable tasks = serve()) {
            tasks.execute("INSERT INTO task (input, state) VALUES ('x', 'STOP')");
            assertThat(database.query(
                                    "SELECT parent, plan <= now(), active, live, repeat, timeout, count, max, delete, drift, header,"
                                            + " save, string, ascii(delimiter::text), escape = '', quote = '', \"group\", \"null\", remote FROM task")
                            .get(0))
                    .containsExactly(
                            null,
                            "t",
                            "01:00:00",
                            "00:00:00",
                            "00:00:00",
                            "00:00:00",
                            "0",
                            "0",
                            "t",
                            "f",
                            "t",
                            "f",
                            "t",
                            "9",
                            "t",
                            "t",
                            "group",
                            "\\N",
                            null);
            tasks.execute("BEGIN; SELECT pg_sleep(0.05); INSERT INTO task (input, state) VALUES ('y', 'STOP'); COMMIT");
        }
        assertThat(database.value("SELECT active = '1 h' FROM task WHERE input = 'y'"))
                .isEqualTo("t");
    }

    @Test
    void table_made_hasTheChecks() {
        serve().close();
        database.execute("INSERT INTO task (input, state) VALUES ('x', 'STOP')");
        for (String broken : List.of(
                "active = '0'",
                "active = '-1 s'",
                "live = '-1 s'",
                "repeat = '-1 s'",
                "timeout = '-1 s'",
                "count = -1"))
            assertThat(failure("UPDATE task SET " + broken)).as(broken).contains("violates check constraint");
    }

    private String failure(String sql) {
        try {
            database.execute(sql);
            return "no failure";
        } catch (AssertionError e) {
            return String.valueOf(e.getMessage());
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void table_namesOfAllKinds_areServed(String schema, String table) {
        try (ServedTable tasks =
                ServedTable.begin(database, database.uri(), schema, table).active()) {
            assertThat(tasks.run(
                                    "SELECT current_setting('pg_task.schema'), current_setting('pg_task.table')",
                                    "header",
                                    "off")
                            .output())
                    .isEqualTo(schema + "\t" + table);
            assertThat(tasks.run("SELECT 1", "repeat", "1 h").state()).isEqualTo(TaskState.DONE);
            assertThat(tasks.run("SELECT 1", "max", "-5").output()).isEqualTo("1");
        }
        ServedTable.begin(database, database.uri(), schema, table).active().close();
    }

    static Stream<Arguments> names() {
        return Stream.of(
                Arguments.of("Sch ema", "Ta\"ble"),
                Arguments.of("other", "jobs"),
                Arguments.of("größe", "back\\slash 'quoted' $1 ? table"),
                Arguments.of("public", "a".repeat(40)));
    }

    @Test
    void tables_severalInOneDatabase_areServedApart() {
        try (ServedTable one = serve();
                ServedTable two = ServedTable.begin(database, database.uri(), "public", "task2")
                        .active();
                ServedTable three = ServedTable.begin(database, database.uri(), "other", "task")
                        .active()) {
            assertThat(List.of(one, two, three))
                    .allSatisfy(each -> assertThat(
                                    each.run("SELECT 1", "group", "g").output())
                            .isEqualTo("1"));
        }
    }

    @Test
    void table_lackingAlmostEverything_isCompleted() {
        serve().close();
        String columns = columns();
        String objects = objects();
        database.execute("INSERT INTO task (input, state, data) VALUES ('kept', 'STOP', 'x')");
        database.execute(
                "DROP TRIGGER task_wake_up ON task; ALTER TABLE task DROP max, DROP hash, DROP save, DROP \"null\", DROP plan, DROP remote CASCADE, DROP output,"
                        + " DROP CONSTRAINT task_live_check; DROP INDEX IF EXISTS task_busy_idx;"
                        + " ALTER TABLE task ALTER \"group\" DROP DEFAULT, ALTER state DROP DEFAULT");
        try (ServedTable tasks = serve()) {
            assertThat(columns()).isEqualTo(columns);
            assertThat(objects()).isEqualTo(objects);
            assertThat(database.value("SELECT input || data FROM task")).isEqualTo("keptx");
            assertThat(tasks.run("SELECT 1").output()).isEqualTo("1");
        }
    }

    @Test
    void table_columnsThatLostWhatTheyHad_areRepaired() { // NOT NULL set or dropped, key, numbers, defaults
        serve().close();
        String columns = columns();
        String objects = objects();
        database.execute("INSERT INTO task (id, input, state, parent) VALUES (41, 'x', 'STOP', 7)");
        database.execute("ALTER TABLE task DROP CONSTRAINT task_pkey, ALTER id DROP NOT NULL, ALTER plan DROP NOT NULL,"
                + " ALTER plan DROP DEFAULT, ALTER input DROP NOT NULL, ALTER parent SET NOT NULL, ALTER parent DROP DEFAULT;"
                + " DROP SEQUENCE task_id_seq CASCADE; COMMENT ON COLUMN task.max IS NULL;"
                + " COMMENT ON COLUMN task.data IS 'mine'");
        try (ServedTable tasks = serve()) {
            assertThat(columns()).isEqualTo(columns);
            assertThat(objects()).isEqualTo(objects);
            assertThat(database.value("SELECT col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid ="
                            + " 'task'::regclass AND attname = 'max'"))
                    .startsWith("How many others");
            assertThat(database.value("SELECT col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid ="
                            + " 'task'::regclass AND attname = 'data'"))
                    .isEqualTo("mine");
            assertThat(tasks.run("SELECT current_setting('pg_task.id')").output())
                    .isEqualTo("42");
        }
        assertThat(database.value("SELECT pg_get_serial_sequence('task', 'id')"))
                .isEqualTo("public.task_id_seq");
    }

    @Test
    void table_onlyWithId_isCompletedOnRequest() {
        database.execute("CREATE TABLE task (id bigserial PRIMARY KEY)");
        database.execute("CREATE TYPE state AS ENUM ('PLAN', 'GONE', 'TAKE', 'WORK', 'DONE', 'FAIL', 'STOP')");
        try (ServedTable tasks = ServedTable.in(database, how -> how.adopt(true))) {
            assertThat(tasks.run("SELECT 1").output()).isEqualTo("1");
        }
    }

    @Test
    void table_triggerDisabledOrChanged_isMended() {
        serve().close();
        String objects = objects();
        database.execute(
                "ALTER TABLE task DISABLE TRIGGER task_wake_up; CREATE OR REPLACE FUNCTION task_wake_up() RETURNS trigger"
                        + " LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'");
        serve().close();
        assertThat(objects()).isEqualTo(objects);
        assertThat(database.value("SELECT prosrc LIKE '%pg_notify%' FROM pg_proc WHERE proname = 'task_wake_up'"))
                .isEqualTo("t");
    }

    @Test
    void table_ofTheUser_staysAsItIs() { // kept, always
        serve().close();
        database.execute(
                "ALTER TABLE task ADD mine text DEFAULT 'm', ADD strict int NOT NULL DEFAULT 5, ALTER max SET DEFAULT 7,"
                        + " ALTER active SET DEFAULT '2 h', ALTER plan SET DEFAULT now() + interval '1 h', ALTER data SET DEFAULT 'd';"
                        + " CREATE INDEX mine_i ON task (mine); CREATE VIEW v AS SELECT * FROM task; COMMENT ON TABLE task IS 'my tasks'");
        String columns = columns();
        String objects = objects();
        try (ServedTable tasks = serve()) {
            assertThat(columns()).isEqualTo(columns);
            assertThat(objects()).isEqualTo(objects);
            Task task = tasks.run("SELECT 1", "plan", "now");
            assertThat(task.max()).isEqualTo(7);
            assertThat(task.data()).isEqualTo("d");
        }
        assertThat(database.value("SELECT obj_description('task'::regclass)")).isEqualTo("my tasks");
    }

    @Test
    void table_withTheExtensionsDefaults_getsOnesThatWorkWithoutIt() { // the two-argument current_setting
        serve().close();
        database.execute(
                "ALTER TABLE task ALTER max SET DEFAULT current_setting('pg_task.max')::integer, ALTER \"group\" SET DEFAULT"
                        + " current_setting('pg_task.group'), ALTER drift SET DEFAULT true");
        try (ServedTable tasks = serve()) {
            tasks.execute("INSERT INTO task (input) VALUES ('SELECT 1')");
            tasks.settled("group");
            assertThat(database.value("SELECT max || ' ' || drift || ' ' || state FROM task"))
                    .isEqualTo("0 true DONE");
        }
    }

    @Test
    void table_extensionsDefaultsSetWhileItIsServed_areMended() {
        try (ServedTable tasks = serve()) {
            database.execute("ALTER TABLE task ALTER max SET DEFAULT current_setting('pg_task.max')::integer");
            tasks.execute("INSERT INTO task (input, max) VALUES ('SELECT 1', 0)");
            tasks.awaitTrue(
                    "SELECT pg_get_expr(adbin, adrelid) LIKE '%, true%' FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid"
                            + " AND attnum = adnum WHERE adrelid = 'task'::regclass AND attname = 'max'");
        }
    }

    @ParameterizedTest
    @MethodSource("broken")
    void table_thatCannotBeServed_isRefusedWithTheRemedy(String breakIt, String reason) {
        serve().close();
        database.execute(breakIt);
        String before = columns();
        assertThat(refusal(database.uri())).isEqualTo(reason);
        assertThat(columns()).isEqualTo(before);
    }

    @Test
    void settings_withoutEffect_areNamedOnceAtTheStart() throws SQLException {
        database.execute("ALTER DATABASE " + database.name() + " SET pg_work.\"fetch\" = 7; ALTER DATABASE "
                + database.name() + " SET pg_task.\"limit\" = 3; ALTER DATABASE " + database.name()
                + " SET pg_task.sleep = 1000");
        try (Connection connection = database.connect()) {
            assertThat(new TableInstaller(connection, new TableName("public", "task"), TaskRights.OWNER, false)
                            .complete()
                            .warnings())
                    .contains(
                            "set, and without effect here: pg_task.limit, pg_work.fetch; the settings that Howdah reads are in"
                                    + " docs/reference/task-table.md#settings");
        }
    }

    static Stream<Arguments> broken() {
        return Stream.of(
                Arguments.of(
                        "ALTER TABLE task DROP CONSTRAINT task_count_check, ALTER count DROP DEFAULT, ALTER count TYPE text,"
                                + " ALTER output TYPE json USING output::json",
                        "column \"count\" of public.task is of type text, integer is needed; column \"output\" of public.task is of type json,"
                                + " text is needed: ALTER TABLE \"public\".\"task\" ALTER COLUMN \"count\" TYPE integer USING"
                                + " \"count\"::integer, ALTER COLUMN \"output\" TYPE text USING \"output\"::text"),
                Arguments.of(
                        "ALTER TABLE task DROP CONSTRAINT task_count_check, ALTER count DROP DEFAULT, ALTER count TYPE text",
                        "column \"count\" of public.task is of type text, integer is needed: ALTER TABLE \"public\".\"task\" ALTER"
                                + " COLUMN \"count\" TYPE integer USING \"count\"::integer"),
                Arguments.of(
                        "ALTER TABLE task DROP hash, ADD hash integer",
                        "column \"hash\" of public.task is not generated from group and remote: rename it, and the right one is made"),
                Arguments.of(
                        "DROP TABLE task; CREATE VIEW task AS SELECT 1 AS id",
                        "public.task exists but is not a table; serve another name with --schema and --table"),
                Arguments.of(
                        "DROP TABLE task; DROP TYPE state; CREATE TYPE state AS ENUM ('PLAN', 'TAKE', 'WORK', 'DONE', 'FAIL', 'STOP');"
                                + " CREATE TABLE task (id bigserial PRIMARY KEY, plan timestamptz, state state, \"group\" text, input text)",
                        "the type \"public\".\"state\" lacks states of tasks: ALTER TYPE \"public\".\"state\" ADD VALUE 'GONE'"),
                Arguments.of(
                        "ALTER TABLE task DROP CONSTRAINT task_pkey; INSERT INTO task (id, input, state) VALUES (1, '', 'STOP'), (1, '', 'STOP')",
                        "column \"id\" of public.task is not unique: ALTER TABLE \"public\".\"task\" ADD PRIMARY KEY (id) would"
                                + " fail with ERROR: could not create unique index \"task_pkey\"\n  Detail: Key (id)=(1) is"
                                + " duplicated."),
                Arguments.of(
                        "ALTER TABLE task ALTER max DROP NOT NULL; INSERT INTO task (input, max, state) VALUES ('', NULL, 'STOP')",
                        "column \"max\" of public.task is NULL in some rows: UPDATE \"public\".\"task\" SET \"max\" = DEFAULT"
                                + " WHERE \"max\" IS NULL"));
    }

    @Test
    void table_justMade_saysWhatItIs() { // comments on table and all columns
        serve().close();
        assertThat(database.value("SELECT count(*) FROM pg_attribute WHERE attrelid = 'task'::regclass AND attnum > 0"
                        + " AND col_description(attrelid, attnum) IS NULL"))
                .isEqualTo("0");
        assertThat(database.value("SELECT obj_description('task'::regclass, 'pg_class')"))
                .isEqualTo("SQL to run in the background");
    }

    @Test
    void rights_missing_areNamed() { // the GRANT that helps
        String role = database.name() + "_plain";
        database.execute("CREATE ROLE " + role + " LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC");
        String uri = database.uri().replace("postgres@", role + "@");
        assertThat(refusal(uri))
                .isEqualTo(
                        "role " + role + " may not make the table public.task: GRANT CREATE ON SCHEMA \"public\" TO \""
                                + role + "\", or make the table yourself");
        database.execute("GRANT CREATE ON SCHEMA public TO " + role);
        ServedTable.begin(database, uri, "public", "task").active().close();
        database.execute("REASSIGN OWNED BY " + role + " TO postgres");
        assertThat(refusal(uri))
                .isEqualTo(
                        "role " + role + " may not keep the table public.task: GRANT DELETE, INSERT, SELECT, UPDATE ON"
                                + " \"public\".\"task\" TO \"" + role
                                + "\"; GRANT USAGE ON SEQUENCE public.task_id_seq TO \"" + role + "\"");
        database.execute("GRANT DELETE, INSERT, SELECT, UPDATE ON task TO " + role);
        assertThat(refusal(uri))
                .isEqualTo("role " + role
                        + " may not keep the table public.task: GRANT USAGE ON SEQUENCE public.task_id_seq TO \"" + role
                        + "\"");
        database.execute("GRANT USAGE ON SEQUENCE task_id_seq TO " + role);
        database.execute("ALTER TABLE task DROP save");
        assertThat(refusal(uri))
                .contains("may not add column \"save\" on public.task, which belongs to postgres: GRANT");
        serve().close();
        try (ServedTable tasks = ServedTable.begin(
                        database, uri, "public", "task", how -> how.rights(TaskRights.SCHEDULER))
                .active()) {
            assertThat(tasks.run("SELECT current_user").output()).isEqualTo(role);
            assertThat(tasks.run("SELECT 1", "repeat", "1 h").state()).isEqualTo(TaskState.DONE);
        }
        database.execute("REASSIGN OWNED BY " + role + " TO postgres; DROP OWNED BY " + role + "; DROP ROLE " + role);
    }

    @Test
    void insert_byOrdinaryRole_isEnough() { // rights
        String role = database.name() + "_client";
        try (ServedTable tasks = serve()) {
            tasks.execute("CREATE ROLE " + role + "; GRANT INSERT ON task TO " + role
                    + "; GRANT USAGE ON SEQUENCE task_id_seq TO " + role);
            tasks.execute("SET ROLE " + role + "; INSERT INTO task (input) VALUES ('SELECT 1')");
            tasks.awaitTrue("SELECT state = 'DONE' FROM task");
            database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
        }
    }

    @Test
    void trigger_ofTheUser_seesEveryStep() {
        try (ServedTable tasks = serve()) {
            tasks.execute(
                    "CREATE TABLE seen (n serial, id bigint, op text, o text, w text); CREATE FUNCTION see() RETURNS trigger"
                            + " LANGUAGE plpgsql AS $f$ BEGIN INSERT INTO public.seen (id, op, o, w) VALUES (coalesce(new.id, old.id), tg_op,"
                            + " old.state, new.state); RETURN NULL; END $f$; CREATE TRIGGER see AFTER INSERT OR UPDATE OR DELETE ON task FOR"
                            + " EACH ROW EXECUTE FUNCTION see()");
            tasks.execute(
                    "INSERT INTO task (\"group\", input, plan) VALUES ('t', 'SELECT 1', now()), ('t', 'SELECT 1 WHERE false',"
                            + " now()), ('t', 'SELECT 1/0', now()), ('t', 'SELECT 1', now() - interval '2 h')");
            tasks.settled("t");
            assertThat(
                            database.query(
                                    "SELECT string_agg(concat_ws('>', op, o, w), ' ' ORDER BY n) FROM seen GROUP BY id ORDER BY id"))
                    .extracting(row -> row.get(0))
                    .containsExactly(
                            "INSERT>PLAN UPDATE>PLAN>TAKE UPDATE>TAKE>WORK UPDATE>WORK>DONE",
                            "INSERT>PLAN UPDATE>PLAN>TAKE UPDATE>TAKE>WORK UPDATE>WORK>DONE DELETE>DONE",
                            "INSERT>PLAN UPDATE>PLAN>TAKE UPDATE>TAKE>WORK UPDATE>WORK>FAIL",
                            "INSERT>PLAN UPDATE>PLAN>GONE");
        }
    }

    @Test
    void trigger_ofTheUserFails_hurtsItsRowOnly() { // a failing trigger of the user's
        try (ServedTable tasks = serve()) {
            tasks.execute(
                    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN IF new.data = 'bad' AND new.state ="
                            + " 'DONE' THEN RAISE 'not today'; END IF; RETURN new; END $f$; CREATE TRIGGER refuse BEFORE UPDATE ON task FOR EACH"
                            + " ROW EXECUTE FUNCTION refuse()");
            tasks.execute(
                    "INSERT INTO task (\"group\", input, data, max) SELECT 't', 'SELECT ' || i, CASE i WHEN 3 THEN 'bad' END, 9"
                            + " FROM generate_series(1, 6) i");
            tasks.settled("t");
            assertThat(tasks.all("t", "state || ' ' || output")).isEqualTo("DONE 1|DONE 2|FAIL 3|DONE 4|DONE 5|DONE 6");
            assertThat(database.value("SELECT error FROM task WHERE data = 'bad'"))
                    .startsWith("ERROR:  the end of the task could not be written: ERROR: not today");
        }
    }
}
