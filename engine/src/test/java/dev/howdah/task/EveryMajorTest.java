package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.task.internal.store.TableName;
import dev.howdah.task.internal.table.TableInstaller;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The main path on every major version of PostgreSQL. */
class EveryMajorTest {
    static List<Integer> majors() {
        return Stream.concat(TestServer.older().stream(), TestServer.majors().stream())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("majors")
    void tasks_ofAllKinds_areServed(int major) {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major));
                ServedTable tasks = ServedTable.in(database)) {
            assertThat(tasks.value("SELECT current_setting('server_version_num')::int / 10000"))
                    .isEqualTo(Integer.toString(major));
            assertThat(tasks.run("SELECT 1 AS a, NULL AS b; SET work_mem = '5MB'; VACUUM")
                            .error())
                    .startsWith("ERROR:  VACUUM cannot ");
            assertThat(tasks.run("SELECT 1 AS a, NULL AS b; SET work_mem = '5MB'")
                            .output())
                    .isEqualTo("a\tb\n1\t\\N\nSET");
            assertThat(tasks.run("VACUUM task").output()).isEqualTo("VACUUM");
            assertThat(tasks.run("SELECT 1/0").error()).isEqualTo("ERROR:  division by zero\nSTATEMENT:  SELECT 1/0");
            assertThat(tasks.run("SELECT pg_sleep(20)", "timeout", "0.1 s").error())
                    .startsWith("ERROR:  canceling statement due to statement timeout");
            assertThat(tasks.run("SELECT 2", "plan", "2001-01-01").state()).isEqualTo(TaskState.GONE);
            assertThat(tasks.run("SELECT current_setting('pg_task.id')::bigint > 0", "remote", database.uri())
                            .output())
                    .isEqualTo("t");
            inTurn(tasks);
            repeated(tasks);
            paused(tasks);
        }
    }

    @Tag("long")
    @Test
    void server_withTasksAlone_isNamedAtTheStart() throws SQLException {
        assumeThat(TestServer.older()).contains(11);
        for (int major : new int[] {11, 12})
            try (TestDatabase database = TestDatabase.create(TestServer.of(major));
                    Connection connection = database.connect()) {
                assertThat(new TableInstaller(connection, new TableName("public", "task"), null, false)
                                .complete().warnings().stream()
                                        .filter(each -> each.matches(
                                                "this server is PostgreSQL 11\\..*, which has tasks alone: jobs,"
                                                        + " processes and sweeps need 12")))
                        .hasSize(major == 11 ? 1 : 0);
            }
    }

    private static void inTurn(ServedTable tasks) {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, count) SELECT '" + group
                + "', 'SELECT ' || i, 3 FROM generate_series(1, 7) i");
        tasks.settled(group);
        assertThat(tasks.peak(group)).isEqualTo(1);
        assertThat(tasks.started(group)).isEqualTo("1|2|3|4|5|6|7");
        assertThat(tasks.value("SELECT count(DISTINCT pid) FROM task WHERE \"group\" = '" + group + "'"))
                .isEqualTo("3");
    }

    private static void repeated(ServedTable tasks) {
        String group = tasks.newGroup();
        tasks.add("SELECT 1 WHERE false", "group", group, "repeat", "1 mon 1 day");
        tasks.idle(group);
        assertThat(tasks.all(group, "state || ' ' || (parent IS NOT NULL) || (plan > now() + interval '29 days')"))
                .isEqualTo("PLAN truetrue");
    }

    private static void paused(ServedTable tasks) {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, max) SELECT '" + group
                + "', 'SELECT 1', -100 FROM generate_series(1, 2)");
        tasks.settled(group);
        assertThat(tasks.value("SELECT max(plan) - min(plan) >= '0.1 s' FROM task WHERE \"group\" = '" + group + "'"))
                .isEqualTo("t");
    }
}
