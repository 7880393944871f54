package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.health.Cause;
import dev.howdah.task.internal.store.TableName;
import dev.howdah.task.internal.store.TaskSql;
import dev.howdah.task.internal.table.TableInstaller;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each cause why a task does not run, made on a real server, on the oldest and the newest major. */
class TaskWhyTest {
    private static final String NAME = "\"public\".\"task\"";

    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) opened.get(i).close();
    }

    private TestDatabase database(int major) throws SQLException {
        return database(TestServer.of(major));
    }

    private TestDatabase database(TestServer server) throws SQLException {
        TestDatabase made = TestDatabase.create(server);
        opened.add(made);
        try (Connection connection = made.connect()) {
            new TableInstaller(connection, new TableName("public", "task"), null, false).complete();
        }
        return made;
    }

    /** A session that holds the scheduler's lock. */
    private Statement scheduler(Connection connection) throws SQLException {
        opened.add(connection);
        Statement statement = connection.createStatement();
        statement.execute("SELECT pg_advisory_lock(1215264867, hashtext('" + NAME + "'))");
        return statement;
    }

    private static List<Cause> causes(TestDatabase database, long id) {
        return TaskTable.on(Database.of(database.uri()), "public", "task").why(id);
    }

    /** The first cause, with D for time spans and T for times. */
    private static String why(TestDatabase database, long id) {
        Cause first = causes(database, id).get(0);
        return first.code() + ": "
                + first.sentence()
                        .replaceAll("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d[+-]\\d\\d:\\d\\d", "T")
                        .replaceAll("\\b[\\d.]+ (ms|s|min|h|d)( \\d+ (s|min|h))?(?= ago|[,;.])", "D")
                        .replaceAll("session \\d+", "session P")
                        .replaceAll("Session \\d+", "Session P");
    }

    private static long add(TestDatabase database, String columns, String values) {
        return Long.parseLong(String.valueOf(database.value("INSERT INTO task (input"
                + (columns.isEmpty() ? "" : ", " + columns) + ") VALUES ('SELECT 1'"
                + (values.isEmpty() ? "" : ", " + values) + ") RETURNING id")));
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_unknown_saysWhichIdsThereAre(int major) throws SQLException {
        TestDatabase database = database(major);
        long id = add(database, "", "");
        assertThat(why(database, id + 7))
                .isEqualTo("unknown: There is no task " + (id + 7) + ": ids up to " + id + " have been given.");
        database.execute("DELETE FROM task");
        assertThat(why(database, id)).startsWith("unknown: There is no task " + id + " any more");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_withoutScheduler_needsOne(int major) throws SQLException {
        TestDatabase database = database(major);
        assertThat(why(database, add(database, "", ""))).isEqualTo("no-scheduler: No scheduler serves public.task.");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_inEachState_saysIt(int major) throws SQLException {
        TestDatabase database = database(major);
        scheduler(database.connect());
        long id = add(database, "state, start, pid", "'WORK', now(), 7");
        assertThat(why(database, id)).isEqualTo("runs: It runs since T in session P.");
        assertThat(causes(database, id).get(0).remedy()).isEqualTo("SELECT pg_cancel_backend(7);");
        assertThat(why(database, add(database, "state", "'TAKE'"))).isEqualTo("runs: Its session is being opened.");
        assertThat(why(database, add(database, "state, remote", "'TAKE', 'host=elsewhere'")))
                .isEqualTo("remote-wait: Its session is being opened on the remote server.");
        assertThat(why(database, add(database, "state, remote", "'TAKE', 'https://api.example/charges'")))
                .isEqualTo("runs: The daemon begins it.");
        assertThat(why(database, add(database, "state, remote, start", "'WORK', 'smtp://relay', now()")))
                .isEqualTo("runs: It runs since T.");
        long stopped = add(database, "state", "'STOP'");
        assertThat(why(database, stopped)).isEqualTo("stopped: It was stopped.");
        assertThat(causes(database, stopped).get(0).remedy())
                .isEqualTo("UPDATE public.task SET state = 'PLAN', plan = now() WHERE id = " + stopped + ";");
        assertThat(why(database, add(database, "state, stop", "'FAIL', now()")))
                .isEqualTo("ended: It has ended: FAIL at T.");
        assertThat(why(
                        database,
                        add(database, "state, stop, error", "'FAIL', now(), E'ERROR:  no luck\\nDETAIL:  none'")))
                .isEqualTo("ended: It has ended: FAIL at T: ERROR:  no luck.");
        assertThat(why(database, add(database, "state, active", "'GONE', '1 min'")))
                .isEqualTo("expired: It was not begun within 00:01:00 of its plan: it will not run.");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_planned_isNotDue(int major) throws SQLException {
        TestDatabase database = database(major);
        long id = add(database, "plan", "now() + interval '1 h'");
        assertThat(why(database, id)).isEqualTo("not-due: It is due in D, at T.");
        assertThat(causes(database, id)).extracting(Cause::code).containsExactly("not-due", "no-scheduler");
        assertThat(why(database, add(database, "plan, active", "now() - interval '1 h', '1 min'")))
                .isEqualTo("expired: It was not begun within 00:01:00 of its plan: it will not run.");
        assertThat(why(database, add(database, "plan", "'infinity'")))
                .isEqualTo("never: It has no time: its plan is infinity.");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_afterOthers_waitsForThem(int major) throws SQLException {
        TestDatabase database = database(major);
        long first = add(database, "plan", "now() + interval '1 h'");
        long second = add(database, "plan", "now() + interval '1 h'");
        long id = add(database, "after", "ARRAY[" + first + ", " + second + "]");
        assertThat(why(database, id)).isEqualTo("waits-for: It waits for task " + first + " (PLAN) and 1 more.");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_whileAStrangerHoldsTheLock_namesTheSession(int major) throws SQLException {
        TestDatabase database = database(major);
        String role = database.name() + "_stranger";
        database.execute("CREATE ROLE " + role + " LOGIN");
        opened.add(() -> database.execute("DROP ROLE " + role));
        scheduler(DriverManager.getConnection(
                "jdbc:postgresql://" + database.uri().substring("postgresql://postgres@".length()) + "?user=" + role));
        assertThat(why(database, add(database, "", "")))
                .isEqualTo("scheduler-foreign: The lock of the scheduler is held by session P of role " + role
                        + ", which may not change the table and so is none.");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_whileTheSchedulerIsSilent_saysForHowLong(int major) throws SQLException {
        TestDatabase database = database(major);
        scheduler(database.connect());
        long id = add(database, "plan", "now() - interval '1 min'");
        try (Connection connection = database.connect();
                PreparedStatement statement = TaskSql.WHY
                        .with(Map.of("table", NAME))
                        .statement("task_why")
                        .prepare(connection, id, NAME, 0);
                ResultSet row = statement.executeQuery()) {
            row.next();
            assertThat(row.getString("code")).isEqualTo("scheduler-silent");
            assertThat(row.getString("sentence"))
                    .matches("The scheduler \\(session \\d+, 127\\.0\\.0\\.1\\) has said nothing for [\\d.]+ m?s; a"
                            + " scheduler that stands by takes over after its lease\\.");
        }
        assertThat(causes(database, id)).extracting(Cause::code).containsExactly("due");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_ofRoleThatIsGone_namesIt(int major) throws SQLException {
        TestDatabase database = database(major);
        scheduler(database.connect());
        long id = add(database, "", "");
        database.execute("ALTER TABLE task DISABLE TRIGGER USER; UPDATE task SET owner = 'nobody'");
        assertThat(why(database, id)).isEqualTo("owner: Role nobody, which owns it, does not exist any more.");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_ofFullGroup_namesTheTaskThatRuns(int major) throws SQLException {
        TestDatabase database = database(major);
        scheduler(database.connect());
        long busy = add(database, "state, start, pid", "'WORK', now(), 7");
        long id = add(database, "", "");
        assertThat(why(database, id)).isEqualTo("group-full: Group \"group\" runs 1 of 1: task " + busy + " since T.");
        assertThat(causes(database, id).get(0).remedy())
                .isEqualTo("UPDATE public.task SET max = 1 WHERE id = " + id + ";");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_behindOthersOfItsGroup_saysHowMany(int major) throws SQLException {
        TestDatabase database = database(major);
        scheduler(database.connect());
        add(database, "", "");
        long id = add(database, "", "");
        assertThat(why(database, id)).isEqualTo("behind: One task of its group goes before it.");
        add(database, "max", "3");
        assertThat(why(database, id)).isEqualTo("behind: 2 tasks of its group go before it.");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_ofFullTable_namesTheSetting(int major) throws SQLException {
        TestDatabase database = database(major);
        scheduler(database.connect());
        database.execute("ALTER DATABASE " + database.name() + " SET pg_task.run = 1");
        add(database, "state, start, pid, \"group\"", "'WORK', now(), 7, 'other'");
        long id = add(database, "", "");
        assertThat(why(database, id)).isEqualTo("table-full: public.task runs 1 of 1 tasks (pg_task.run).");
    }

    // the same for the owner of the task
    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_ofOwnerThatRunsItsShare_namesTheSetting(int major) throws SQLException {
        TestDatabase database = database(major);
        scheduler(database.connect());
        String role = database.name() + "_owner";
        database.execute("CREATE ROLE " + role);
        opened.add(1, () -> database.execute("DROP ROLE " + role));
        database.execute("ALTER DATABASE " + database.name() + " SET pg_task.run_per_owner = 1;"
                + " ALTER TABLE task DISABLE TRIGGER USER");
        String owned = ", \"group\", owner";
        add(database, "state, start, pid" + owned, "'WORK', now(), 7, 'one', '" + role + "'");
        add(database, "state, start, pid" + owned, "'WORK', now(), 7, 'two', 'postgres'");
        long id = add(database, "\"group\", owner", "'three', '" + role + "'");
        assertThat(why(database, id))
                .isEqualTo("owner-full: Role " + role + ", which owns it, runs 1 of 1 tasks (pg_task.run_per_owner).");
        assertThat(why(database, add(database, "\"group\", owner", "'four', 'postgres'")))
                .as("the role of the scheduler")
                .startsWith("due: ");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_whileAllSessionsAreInUse_namesTheTaskThatRunsLongest(int major) throws SQLException {
        TestDatabase database = database(major);
        opened.add(TaskScheduler.on(Database.of(database.uri())).maxSessions(2).start());
        String sleep = "INSERT INTO task (input, \"group\") VALUES ('SELECT pg_sleep(600)', '";
        String first = String.valueOf(database.value(sleep + "one') RETURNING id"));
        await().until(() -> "WORK".equals(database.value("SELECT state::text FROM task WHERE id = " + first)));
        String second = String.valueOf(database.value(sleep + "two') RETURNING id"));
        await().until(() -> "WORK".equals(database.value("SELECT state::text FROM task WHERE id = " + second)));
        long id = add(database, "\"group\"", "'three'");
        assertThat(why(database, id))
                .isEqualTo(
                        "sessions-full: All 2 sessions that the scheduler may have for tasks in this database are in use"
                                + " (--sessions, --total-sessions); the longest by task " + first + " since T.");
        database.execute("SELECT pg_cancel_backend(pid) FROM task WHERE state = 'WORK'");
        await().until(() -> causes(database, id).get(0).code().equals("ended"));
    }

    // what a role may not see
    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_askedForByARoleThatSeesNoSessions_saysWhatIsHidden(int major) throws SQLException {
        TestDatabase database = database(major);
        scheduler(database.connect());
        long id = add(database, "plan", "now() - interval '10 min'");
        String role = database.name() + "_reader";
        database.execute("CREATE ROLE " + role + " LOGIN; GRANT SELECT ON task TO " + role);
        opened.add(1, () -> database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role));
        Cause first = TaskTable.on(Database.of(database.uri().replace("postgres@", role + "@")), "public", "task")
                .why(id)
                .get(0);
        assertThat(first.code()).isEqualTo("hidden");
        assertThat(first.sentence())
                .matches("Whether the scheduler \\(session \\d+\\) still answers is hidden from role " + role + "\\.");
        assertThat(first.remedy()).isEqualTo("GRANT pg_read_all_stats TO " + role + ";");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_whoseTriggerIsDisabled_wakesNoScheduler(int major) throws SQLException {
        TestDatabase database = database(major);
        scheduler(database.connect())
                .execute("SELECT pg_advisory_lock(1215264868, 'public.task'::regclass::oid::integer)");
        database.execute("ALTER TABLE task DISABLE TRIGGER task_wake_up");
        long id = add(database, "", "");
        assertThat(why(database, id))
                .isEqualTo("next-look: The scheduler sleeps, and the trigger that would wake it is disabled.");
        assertThat(causes(database, id).get(0).remedy())
                .isEqualTo("ALTER TABLE public.task ENABLE ALWAYS TRIGGER task_wake_up;");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_lockedByAnotherSession_namesTheSession(int major) throws SQLException {
        TestDatabase database = database(major);
        scheduler(database.connect());
        long id = add(database, "", "");
        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT FROM task FOR UPDATE");
            assertThat(why(database, id))
                    .startsWith("row-locked: Session P (postgres")
                    .endsWith(") has locked it, in a transaction that began D ago.");
            other.rollback();
        }
    }

    // when nothing holds
    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_withNothingInItsWay_saysSo(int major) throws SQLException {
        TestDatabase database = database(major);
        scheduler(database.connect());
        assertThat(why(database, add(database, "", "")))
                .isEqualTo("due: It is due, since D, and nothing known stands in its way.");
    }

    @Test
    void task_whileTheServerIsFull_saysHowManyConnectionsThereAre() throws SQLException {
        TestDatabase database = database(TestServer.with(Map.of("max_connections", "12")));
        scheduler(database.connect());
        long id = add(database, "", "");
        // The one that asks is another one; three are reserved.
        for (int i = 0; i < 8; i++) opened.add(database.connect());
        assertThat(why(database, id)).matches("server-full: PostgreSQL has no connection left: \\d+ of 9\\.");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void task_ofServedTable_runs(int major) throws SQLException {
        TestDatabase database = database(major);
        opened.add(TaskScheduler.on(Database.of(database.uri())).start());
        long id = add(database, "", "");
        await().until(() -> causes(database, id).get(0).code().equals("ended"));
    }
}
