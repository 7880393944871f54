package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.Database;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.task.internal.store.TableName;
import dev.howdah.task.internal.table.TableInstaller;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Counts, lists and changes of all tasks that meet a query. */
@PostgresTest
class TaskQueryTest {
    private final TestDatabase database;
    private final TaskTable tasks;

    TaskQueryTest(TestDatabase database) {
        this.database = database;
        this.tasks = TaskTable.on(Database.of(database.uri()), "Sch ema", "Ta\"ble");
    }

    @BeforeEach
    void createTable() throws SQLException {
        try (Connection connection = database.connect()) {
            new TableInstaller(connection, new TableName("Sch ema", "Ta\"ble"), TaskRights.OWNER, false).complete();
        }
    }

    private long ended(String columns, String values) {
        return Long.parseLong(database.value("INSERT INTO \"Sch ema\".\"Ta\"\"ble\" (state, stop, input, " + columns
                + ") VALUES ('FAIL', now(), 'SELECT 1', " + values + ") RETURNING id"));
    }

    @Test
    void conditions_eachOne_meetsWhatItSays() {
        long nightly = ended("\"group\", error", "'nightly', 'ERROR:  100% full, it''s said'");
        long serial = ended("sqlstate, error", "'40001', 'ERROR:  could not serialize'");
        long remote = ended("remote", "'host=elsewhere'");
        long run = ended("schedule, cron", "'report', '0 3 * * *'");
        long old = ended("data", "'old'");
        database.execute(
                "UPDATE \"Sch ema\".\"Ta\"\"ble\" SET stop = '2020-01-01', input = 'VACUUM' WHERE id = " + old);
        TaskQuery failed = TaskQuery.in(TaskState.FAIL);
        assertThat(ids(failed)).containsExactly(old, run, remote, serial, nightly);
        assertThat(ids(failed.group("nightly"))).containsExactly(nightly);
        assertThat(ids(failed.error("100% full, it's"))).containsExactly(nightly);
        assertThat(ids(failed.error("100_"))).isEmpty();
        assertThat(ids(failed.sqlstate("40001"))).containsExactly(serial);
        assertThat(ids(failed.remote("elsewhere"))).containsExactly(remote);
        assertThat(ids(failed.schedule("report"))).containsExactly(run);
        assertThat(ids(failed.input("VACUUM"))).containsExactly(old);
        assertThat(ids(failed.owner("postgres"))).hasSize(5);
        assertThat(ids(failed.owner("somebody"))).isEmpty();
        Instant then = Instant.parse("2020-01-01T12:00:00Z");
        assertThat(ids(failed.until(then))).containsExactly(old);
        assertThat(ids(failed.from(then))).hasSize(4).doesNotContain(old);
        assertThat(ids(failed.group("group").until(then).input("ACU"))).containsExactly(old);
        assertThat(ids(TaskQuery.in(TaskState.DONE))).isEmpty();
        assertThat(tasks.list(failed.limit(2)).tasks()).extracting(Task::id).containsExactly(old, run);
    }

    /** Of the list, which is as long as the count says. */
    private List<Long> ids(TaskQuery query) {
        List<Long> ids = tasks.list(query).tasks().stream().map(Task::id).toList();
        assertThat(tasks.count(query)).isEqualTo(ids.size());
        return ids;
    }

    @Test
    void values_thatLookLikeSql_areTextAlone() {
        ended("\"group\"", "'a'");
        for (String text : List.of("' OR true --", "a' OR 'a' = 'a", "$1", "/*:filter*/ OR true", "\\"))
            assertThat(tasks.deleteAll(TaskQuery.in(TaskState.FAIL).group(text).input(text)))
                    .as(text)
                    .isZero();
        assertThat(tasks.count(TaskQuery.all())).isOne();
    }

    @Test
    void retryAll_manyTasks_runAgainOnce() {
        database.execute(
                "INSERT INTO \"Sch ema\".\"Ta\"\"ble\" (state, input, error, sqlstate, repeat, attempts)"
                        + " SELECT 'FAIL', 'SELECT ' || n, 'ERROR: ' || n % 2, '22012', '1 h', 3 FROM generate_series(1, 2500) n");
        assertThat(tasks.retryAll(TaskQuery.in(TaskState.FAIL).error("ERROR: 1")))
                .isEqualTo(1_250);
        assertThat(tasks.retryAll(TaskQuery.in(TaskState.FAIL).error("ERROR: 1")))
                .isZero();
        assertThat(tasks.count(TaskQuery.in(TaskState.PLAN))).isEqualTo(1_250);
        assertThat(database.value(
                        "SELECT count(*) FROM \"Sch ema\".\"Ta\"\"ble\" WHERE state = 'PLAN' AND repeat > '0'"))
                .isEqualTo("0");
    }

    @Test
    void retry_ofTasksThatRepeat_startsNoSecondRepetition() {
        long one = ended("repeat", "'1 h'");
        long two = ended("cron", "'0 3 * * *'");
        tasks.retry(one);
        tasks.retryEach(List.of(two));
        assertThat(
                        database.value(
                                "SELECT count(*) FROM \"Sch ema\".\"Ta\"\"ble\" WHERE state = 'PLAN' AND repeat = '0' AND cron IS NULL"))
                .isEqualTo("2");
    }

    @Test
    void retryAll_stoppedTask_goesOnWithItsTimes() {
        long id = ended("cron", "'0 3 * * *'");
        database.execute("UPDATE \"Sch ema\".\"Ta\"\"ble\" SET state = 'STOP'");
        assertThat(tasks.retryAll(TaskQuery.in(TaskState.STOP))).isOne();
        assertThat(tasks.find(id).orElseThrow().cron()).isEqualTo("0 3 * * *");
    }

    @Test
    void cancelAll_schedules_areMeantUnlessTheQueryLeavesThem() {
        tasks.schedules().put("report", NewTask.of("SELECT 1").cron("0 3 * * *"));
        long plain = tasks.add(NewTask.of("SELECT 2").cron("0 4 * * *"));
        TaskQuery waiting = TaskQuery.in(TaskState.PLAN);
        assertThat(tasks.count(waiting)).isEqualTo(2);
        assertThat(tasks.count(waiting.schedules(false))).isOne();
        assertThat(tasks.cancelAll(waiting.schedules(false))).isOne();
        assertThat(tasks.state(plain)).hasValue(TaskState.STOP);
        assertThat(tasks.schedules().list()).hasSize(1);
        assertThat(tasks.cancelAll(waiting.schedule("report"))).isOne();
        assertThat(tasks.schedules().list()).isEmpty();
    }

    @Test
    void deleteAll_lockedRow_isLeft() throws SQLException {
        long locked = ended("data", "'x'");
        ended("data", "'y'");
        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT FROM \"Sch ema\".\"Ta\"\"ble\" WHERE id = " + locked + " FOR UPDATE");
            assertThat(tasks.deleteAll(TaskQuery.in(TaskState.FAIL))).isOne();
            other.rollback();
        }
        assertThat(tasks.find(locked)).isPresent();
    }

    @ParameterizedTest
    @EnumSource(TaskState.class)
    void changes_ofStatesThatTheyAreNotFor_areRefused(TaskState state) {
        TaskQuery query = TaskQuery.in(state);
        if (state.ended()) {
            assertThatThrownBy(() -> tasks.cancelAll(query))
                    .hasMessage("tasks in state " + state
                            + " cannot be changed so: the state of the query has to be one of PLAN, TAKE, WORK");
        } else {
            assertThatThrownBy(() -> tasks.retryAll(query)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> tasks.deleteAll(query)).hasMessageContaining("FAIL, STOP, GONE, DONE");
        }
    }

    @Test
    void badQuery_isRefusedAtOnce() {
        assertThatThrownBy(() -> tasks.deleteAll(TaskQuery.all())).hasMessageContaining("the state of the query");
        assertThatThrownBy(() -> TaskQuery.all().sqlstate("4000"))
                .hasMessageContaining("such as 40001, unlike \"4000\"");
        Instant now = Instant.now();
        assertThatThrownBy(() -> TaskQuery.all().from(now).until(now)).hasMessageContaining("until has to be later");
    }

    @Test
    void rowSecurity_ofTheTable_boundsWhatARoleChanges() {
        String guest = database.name() + "_guest";
        database.execute("CREATE ROLE " + guest + " LOGIN; GRANT USAGE ON SCHEMA \"Sch ema\" TO " + guest + ";"
                + " GRANT SELECT, INSERT, UPDATE, DELETE ON \"Sch ema\".\"Ta\"\"ble\" TO " + guest + ";"
                + " ALTER TABLE \"Sch ema\".\"Ta\"\"ble\" ENABLE ROW LEVEL SECURITY;"
                + " CREATE POLICY own ON \"Sch ema\".\"Ta\"\"ble\" USING (owner = current_user)");
        try {
            long other = ended("data", "'x'");
            long mine = ended("owner", "'" + guest + "'");
            TaskTable theirs =
                    TaskTable.on(Database.of(database.uri().replace("postgres@", guest + "@")), "Sch ema", "Ta\"ble");
            TaskQuery all = TaskQuery.in(TaskState.FAIL);
            assertThat(theirs.count(all.owner("postgres"))).isZero();
            assertThat(theirs.retryAll(all.owner("postgres"))).isZero();
            assertThat(theirs.deleteAll(all)).isOne();
            assertThat(tasks.find(mine)).isEmpty();
            assertThat(tasks.find(other)).isPresent();
        } finally {
            database.execute("DROP OWNED BY " + guest + "; DROP ROLE " + guest);
        }
    }

    @Test
    void table_withoutOwnerCodeAndSchedule_isSearchedByTheRest() {
        ended("data", "'x'");
        database.execute(
                "ALTER TABLE \"Sch ema\".\"Ta\"\"ble\" DROP COLUMN owner CASCADE, DROP COLUMN sqlstate CASCADE,"
                        + " DROP COLUMN schedule CASCADE");
        TaskQuery failed = TaskQuery.in(TaskState.FAIL);
        assertThat(tasks.count(failed.sqlstate("22012"))).isZero();
        assertThat(tasks.count(failed.owner("postgres"))).isZero();
        assertThat(tasks.count(failed.input("SELECT"))).isOne();
        assertThat(tasks.deleteAll(failed.schedules(false))).isOne();
    }

    @Test
    void dataSource_withoutAutocommit_commitsEachStep() {
        ended("data", "'x'");
        PGSimpleDataSource source = new PGSimpleDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                connection.setAutoCommit(false);
                return connection;
            }
        };
        source.setUrl("jdbc:" + database.uri().replace("postgres@", "") + "?user=postgres");
        assertThat(TaskTable.on(source, "Sch ema", "Ta\"ble").deleteAll(TaskQuery.in(TaskState.FAIL)))
                .isOne();
        assertThat(tasks.count(TaskQuery.all())).isZero();
    }
}
