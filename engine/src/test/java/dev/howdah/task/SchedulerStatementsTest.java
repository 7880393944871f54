package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.task.internal.leader.SharedLeaderSession;
import dev.howdah.task.internal.store.TableName;
import dev.howdah.task.internal.table.TableInstaller;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Statements of the scheduler, called one at a time: what they do with rows that others have changed between two of them. No scheduler runs.
 */
@PostgresTest
@Execution(ExecutionMode.SAME_THREAD) // task_reset puts all tasks back but those that it is given
class SchedulerStatementsTest {
    private static final TableName TABLE = new TableName("public", "task");
    private static final SqlFile STATEMENTS = TABLE.sql("scheduler.sql");

    private static TestDatabase database;

    @BeforeAll
    static void makeTable(TestDatabase made) throws SQLException {
        database = made;
        try (Connection connection = session()) {
            new TableInstaller(connection, TABLE, null, false).complete();
        }
    }

    /** One as that of a scheduler, which holds no lock. */
    private static Connection session() throws SQLException {
        return SharedLeaderSession.connect(Database.of(database.uri()), "test", Duration.ofSeconds(10));
    }

    /** The first column of the rows that a statement returns. */
    private static List<String> run(String name, @Nullable Object... parameters) throws SQLException {
        try (Connection connection = session();
                PreparedStatement statement = STATEMENTS.statement(name).prepare(connection, parameters)) {
            List<String> rows = new ArrayList<>();
            if (!statement.execute()) return rows;
            try (ResultSet result = statement.getResultSet()) {
                while (result.next()) rows.add(result.getString(1));
            }
            return rows;
        }
    }

    private static long add(String columns, String values) {
        return Long.parseLong(String.valueOf(database.value(
                "INSERT INTO task (input, " + columns + ") VALUES ('SELECT 1', " + values + ") RETURNING id")));
    }

    private static String column(long id, String expression) {
        return String.valueOf(database.value("SELECT " + expression + " FROM task WHERE id = " + id));
    }

    private static Long[] ids(long id) {
        return new Long[] {id};
    }

    /** Claims a task as it was read when it had this hash and this max. */
    private static List<String> claim(String statement, long id, String hash, String max) throws SQLException {
        Integer[] hashes = {Integer.valueOf(hash)};
        Integer[] maxes = {Integer.valueOf(max)};
        return statement.equals("task_claim")
                ? run(statement, ids(id), hashes, maxes, new Integer[] {4711}, false)
                : run(statement, ids(id), hashes, maxes);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "data = 'anything'|WORK",
                "\"group\" = 'another'|PLAN",
                "remote = 'postgresql://another'|PLAN",
                "max = 2|PLAN",
                "max = 0|PLAN",
                "state = 'STOP'|STOP",
                "plan = now() + interval '1 hour'|PLAN",
                "active = '1 second', plan = now() - interval '1 minute'|PLAN"
            })
    void task_changedAfterItWasRead_isClaimedOnlyWhereItKeepsToItsGroup(String change, String state)
            throws SQLException {
        for (String statement : List.of("task_claim", "task_take")) {
            long id = add("\"group\", max", "'as it was', 1");
            String hash = column(id, "hash");
            database.execute("UPDATE task SET " + change + " WHERE id = " + id);
            String claimed = statement.equals("task_claim") ? "WORK" : "TAKE";
            assertThat(claim(statement, id, hash, "1"))
                    .as(statement)
                    .isEqualTo(state.equals("WORK") ? List.of(Long.toString(id)) : List.of());
            assertThat(column(id, "state")).as(statement).isEqualTo(state.equals("WORK") ? claimed : state);
        }
    }

    @Test
    void taskThatHasCome_stoppedBeforeItsSessionCame_doesNotBegin() throws SQLException {
        long stopped = add("state", "'STOP'");
        long waiting = add("\"group\"", "'put back'");
        long taken = add("state", "'TAKE'");
        assertThat(run("task_begin", new Long[] {stopped, waiting, taken}, new Integer[] {1, 2, 3}, false))
                .containsExactly(Long.toString(taken));
        assertThat(column(stopped, "state")).isEqualTo("STOP");
        assertThat(column(waiting, "state")).isEqualTo("PLAN");
        assertThat(column(taken, "concat(state, pid)")).isEqualTo("WORK3");
    }

    @Test
    void taskThatExpires_plannedAnewAfterItWasRead_stays() throws SQLException {
        String old = "'1 second', now() - interval '1 minute'";
        long expired = add("active, plan", old);
        long moved = add("active, plan", old);
        long extended = add("active, plan", old);
        long working = add("active, plan, state", old + ", 'WORK'");
        database.execute("UPDATE task SET plan = now() + interval '1 hour' WHERE id = " + moved
                + "; UPDATE task SET active = '1 week' WHERE id = " + extended);
        assertThat(run("task_expire", new Long[] {expired, moved, extended, working}, "public", "task"))
                .containsExactly(Long.toString(expired));
        assertThat(column(expired, "state")).isEqualTo("GONE");
        assertThat(column(moved, "state") + column(extended, "state") + column(working, "state"))
                .isEqualTo("PLANPLANWORK");
    }

    @ParameterizedTest
    @ValueSource(strings = {"task_give_back", "task_reset", "task_finish", "task_finish_any"})
    void onceTask_thatHasCommittedItsEnd_isLeftToTheStatementThatClosesIt(String statement) throws SQLException {
        long id = add("once, state, start, stop, pid, output", "true, 'WORK', now(), now(), 17, 'as it was'");
        long open = add("once, state, start, pid", "true, 'WORK', now(), 17");
        Long[] both = {id, open};
        @Nullable String[] none = {null, null};
        List<String> done = statement.startsWith("task_finish")
                ? run(
                        statement,
                        both,
                        new String[] {"FAIL", "FAIL"},
                        new @Nullable Long[] {null, null},
                        new String[] {"", ""},
                        new String[] {"lost", "lost"},
                        "public",
                        "task",
                        new Integer[] {17, 17},
                        none,
                        none)
                : run(statement, (Object) (statement.equals("task_reset") ? others(both) : both));
        assertThat(done).containsExactly(Long.toString(open));
        assertThat(column(id, "state || ' ' || output || ' ' || (stop IS NOT NULL)"))
                .isEqualTo("WORK as it was true");
    }

    @Test
    void onceTask_thatHasCommittedItsEnd_isNotStranded() throws SQLException {
        long id = add("once, state, start, stop, pid", "true, 'WORK', now(), now(), 17");
        long open = add("once, state, start, pid", "true, 'WORK', now(), 17");
        assertThat(run("task_stranded", (Object) others(new Long[] {id, open}))).containsExactly(Long.toString(open));
        assertThat(run("task_stranded", (Object) new Long[] {id, open})).doesNotContain(Long.toString(open));
    }

    @ParameterizedTest
    @CsvSource({
        "WORK, true, now(), DONE",
        "STOP, true, now(), DONE",
        "WORK, true, NULL, WORK",
        "WORK, false, now(), WORK"
    })
    void taskThatRan_isClosedWhereItHasCommittedItsEnd(String state, String once, String stop, String closed)
            throws SQLException {
        long id = add("state, once, start, stop", "'" + state + "', " + once + ", now(), " + stop);
        assertThat(run("task_close", ids(id), "public", "task")).hasSize(closed.equals("DONE") ? 1 : 0);
        assertThat(column(id, "state")).isEqualTo(closed);
    }

    /** All tasks of the table but these: the statement takes the ids of those that it leaves alone. */
    private static Long[] others(Long[] ids) {
        return database.query("SELECT id FROM task WHERE id NOT IN (" + ids[0] + ", " + ids[1] + ")").stream()
                .map(row -> Long.valueOf(String.valueOf(row.get(0))))
                .toArray(Long[]::new);
    }

    @Test
    void task_committedAfterAScan_isReadByTheNextScanOfNewTasks() throws SQLException {
        // The time at which the scan began is read with its rows.
        Sql scan = Sql.of("SELECT statement_timestamp() - interval '0.1 s' AS before, s.* FROM ("
                + STATEMENTS.text("task_look") + ") s");
        try (Connection connection = session();
                Connection late = database.connect();
                Statement insert = late.createStatement()) {
            long oid = Long.parseLong(String.valueOf(database.value("SELECT 'task'::regclass::oid::bigint")));
            late.setAutoCommit(false);
            insert.execute("SELECT 1");
            String since;
            try (PreparedStatement statement = scan.prepare(connection, oid, 0, "-infinity", Long.MIN_VALUE, 10_000);
                    ResultSet row = statement.executeQuery()) {
                assertThat(row.next()).isTrue();
                since = row.getString("since");
                // As if it had been written then, which the scan could not see.
                insert.execute("INSERT INTO task (input, plan, \"group\") VALUES ('SELECT 1', '"
                        + row.getString("before") + "', 'late')");
            }
            late.commit();
            List<String> groups = new ArrayList<>();
            try (PreparedStatement statement = scan.prepare(connection, oid, 0, since, Long.MIN_VALUE, 10_000);
                    ResultSet row = statement.executeQuery()) {
                while (row.next()) groups.add(row.getString("group"));
            }
            assertThat(groups).contains("late");
        }
    }
}
