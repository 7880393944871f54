package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.sql.Plans;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.task.internal.leader.LeaderSession;
import dev.howdah.task.internal.leader.SharedLeaderSession;
import dev.howdah.task.internal.store.TableName;
import dev.howdah.task.internal.table.TableInstaller;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Steps of the scheduler cost what they cost, also where the statistics tell of another table than there is. */
@PostgresTest
class StaleStatisticsTest {
    private static final TableName TABLE = new TableName("public", "task");
    private static final SqlFile STATEMENTS = TABLE.sql("scheduler.sql")
            .with(Map.of("owner", LeaderSession.OWNER, "owner_name", "owner", "owners", "true"));

    private static final String DONE =
            "INSERT INTO task (input, state) SELECT 'SELECT 1', 'DONE' FROM generate_series(1, 30);";
    private static final String ONE = "INSERT INTO task (input, plan) VALUES ('SELECT 1', now() + interval '1 day');";
    private static final String MANY =
            "INSERT INTO task (input, \"group\", plan) SELECT 'SELECT 1', 'g' || i % 10, now() + (i - 10000) * interval '1 s'"
                    + " FROM generate_series(1, 20000) i;";
    private static final String WAITING =
            "INSERT INTO task (input, after, plan) SELECT 'SELECT 1', ARRAY[i, i + 1], 'infinity' FROM generate_series(1, 20000) i;";
    private static final String ANALYZE = "ANALYZE task;";

    private final TestDatabase database;

    StaleStatisticsTest(TestDatabase database) {
        this.database = database;
    }

    private Connection session() throws SQLException {
        return SharedLeaderSession.connect(Database.of(database.uri()), "test", Duration.ofSeconds(10));
    }

    @ParameterizedTest
    @CsvSource({
        "analyzed with one that waits, one analyze many",
        "analyzed when it was large and all had ended, many end analyze empty many"
    })
    void statements_planned_findTheirRowsByAnIndex(String state, String steps) throws SQLException {
        try (Connection connection = session();
                Statement statement = connection.createStatement()) {
            new TableInstaller(connection, TABLE, null, false).complete();
            statement.execute("ALTER TABLE task SET (autovacuum_enabled = off); ALTER TABLE task DISABLE TRIGGER USER");
            for (String step : steps.split(" ")) {
                statement.execute(
                        switch (step) {
                            case "many" -> MANY;
                            case "one" -> ONE;
                            case "done" -> DONE;
                            case "waiting" -> WAITING;
                            case "empty" -> "TRUNCATE task";
                            case "end" -> "UPDATE task SET state = 'DONE'";
                            default -> ANALYZE;
                        });
            }
            assertThat(scansOfAll(statement)).as(state).isEmpty();
        }
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "analyzed empty, analyze many",
        "analyzed with ended ones before many wait for others, done analyze waiting",
        "analyzed before all have ended, many analyze end"
    })
    void statements_plannedAtOtherTimes_findTheirRowsByAnIndex(String state, String steps) throws SQLException {
        statements_planned_findTheirRowsByAnIndex(state, steps);
    }

    /** Which statements read an index from one end to the other, unless it has what runs or waits alone, or they stop after some rows. */
    private static List<String> scansOfAll(Statement statement) throws SQLException {
        List<String> found = new ArrayList<>();
        for (String name : STATEMENTS.names()) {
            String text = STATEMENTS.text(name);
            if (!text.contains("\"task\" ") || text.contains("DO $")) continue;
            String[] lines = (name.equals("task_dependents")
                            ? planOfDependents(statement)
                            : Plans.of(statement, STATEMENTS, name))
                    .split("\n");
            for (int i = 0; i < lines.length; i++) {
                boolean scan = lines[i].matches(".*(Seq|Index)( Only)? Scan.* on task\\w*( .*)?");
                boolean few = i > 0 && lines[i - 1].contains("Limit");
                if (scan
                        && !few
                        && !lines[i].matches(".*task_(busy|waiting)_idx.*")
                        && (i + 1 == lines.length || !lines[i + 1].contains("Index Cond")))
                    found.add(name + ": " + lines[i].strip());
            }
        }
        return found;
    }

    /** It is planned for the values that it has. */
    private static String planOfDependents(Statement statement) throws SQLException {
        statement.execute("BEGIN");
        statement.execute(STATEMENTS.text("task_planned_anew"));
        String plan = Plans.of(statement, STATEMENTS, "task_dependents", "('{5,6,7}', 300)");
        statement.execute("ROLLBACK");
        return plan;
    }

    @Test
    void tasks_besideManyThatWereInsertedAtOnce_readFewRows() {
        int tasks = 6;
        try (ServedTable table = ServedTable.in(database)) {
            table.execute("ALTER TABLE task SET (autovacuum_enabled = off)");
            for (int i = 0; i < 3; i++) table.run("SELECT 1");
            table.execute(ANALYZE);
            for (int i = 0; i < 3; i++) table.run("SELECT 1");
            table.execute(MANY.replace("- 10000", "+ 10000"));
            for (int i = 0; i < tasks; i++) table.run("SELECT 1");
        }
        // A session that ends says what it has read.
        Awaitility.await()
                .atMost(Patience.LIMIT)
                .untilAsserted(() -> assertThat(
                                database.value(
                                        "SELECT count(*) FROM pg_stat_activity WHERE application_name ~ 'howdah' AND datname = current_database()"))
                        .isEqualTo("0"));
        assertThat(Long.parseLong(String.valueOf(
                        database.value("SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'task'"))))
                .isLessThan(20_000L * tasks / 4);
    }
}
