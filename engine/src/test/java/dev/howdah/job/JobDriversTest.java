package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What drivers of other languages send to the SQL functions that add: values without a type, json, jsonb and texts. */
@PostgresTest
class JobDriversTest {
    /** The functions that programs add with, and a right call of each up to its optional parameters. */
    private static final List<String> ADDING = List.of(
            "add('q', 'k', '1'",
            "add_many('q', 'k', '{1,2}'",
            "add_keyed_many('q', 'k', '{1,2}', '{a,b}'",
            "add_ordered('q', 'k', '1', 'key'",
            "add_workflow('[{\"name\": \"a\", \"queue\": \"q\", \"kind\": \"k\"}]'",
            "add_to_pipeline('p', '1'",
            "schedule('s', 'q', 'k', '1', cron => '0 3 * * *'");

    private final TestDatabase database;

    JobDriversTest(TestDatabase database) {
        this.database = JobsDatabase.filled(database);
    }

    @BeforeEach
    void install() {
        JobsDatabase.in(database);
        database.execute("SELECT howdah.put_pipeline('p', '[{\"name\": \"a\", \"kind\": \"k\"}]')");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "::json", "::jsonb", "::text"})
    void payloads_ofEachType_areAdded(String type) {
        String array = type.isEmpty() ? "" : type + "[]";
        database.execute("SELECT howdah.add('q', 'one', '{\"n\": 1}'" + type + ")");
        database.execute("SELECT howdah.add_ordered('q', 'ordered', '1'" + type + ", 'key')");
        database.execute("SELECT howdah.add_many('q', 'many', '{1,\"{\\\"n\\\": 2}\"}'" + array + ")");
        database.execute("SELECT howdah.add_many('q', 'many', '{}'" + array + ")");
        database.execute("SELECT howdah.add_keyed_many('q', 'keyed', '{1,2}'" + array + ", '{a,b}')");
        database.execute(
                "SELECT howdah.add_to_workflow(howdah.add_workflow('[{\"name\": \"a\", \"queue\": \"q\", \"kind\": \"flow\"}]'"
                        + type + ", open => true, when_done => '{\"queue\": \"q\", \"kind\": \"then\"}'" + type
                        + "), 'q', 'flow', '{1,2}'" + array + ")");
        database.execute("SELECT howdah.add_to_workflow(1, '[{\"name\": \"z\", \"queue\": \"q\", \"kind\": \"flow\"}]'"
                + type + ")");
        database.execute("SELECT howdah.put_pipeline('p2', '[{\"name\": \"a\", \"queue\": \"q\", \"kind\": \"pipe\"}]'"
                + type + "), howdah.add_to_pipeline('p2', '1'" + type + ")");
        database.execute("SELECT howdah.schedule('s', 'q', 'k', '{\"n\": 1}'" + type + ", cron => '0 3 * * *')");
        assertThat(database.value("SELECT string_agg(kind || ' ' || n, ', ' ORDER BY kind)"
                        + " FROM (SELECT kind, count(*) AS n FROM howdah.jobs WHERE queue = 'q' GROUP BY kind) AS k"))
                .isEqualTo("flow 4, keyed 2, many 2, one 1, ordered 1, pipe 1, then 1");
        assertThat(database.value("SELECT payload ->> 'n' FROM howdah.schedule"))
                .isEqualTo("1");
    }

    /** As some drivers send a list of objects. */
    @Test
    void payloads_asAnArrayInJson_areAddedInTheirOrder() {
        database.execute("SELECT howdah.add_many('q', 'k', '[{\"n\": 1}, null, \"x\", 12345678901234567890.10]')");
        assertThat(database.value("SELECT string_agg(payload::text, ' ' ORDER BY id) FROM howdah.jobs"))
                .isEqualTo("{\"n\": 1} null \"x\" 12345678901234567890.10");
    }

    /** The variants that any role may call give no role more than it has. */
    @Test
    void roleWithoutADuty_addsNothing_andAProducerAdds() throws SQLException {
        String role = database.name() + "_driver";
        database.execute("CREATE ROLE " + role);
        database.execute("GRANT USAGE ON SCHEMA howdah TO " + role);
        List<String> allowed = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET ROLE " + role);
            for (String call : ADDING) {
                try {
                    statement.execute("SELECT howdah." + call + ")");
                    allowed.add(call);
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).as(call).isEqualTo("42501");
                }
            }
            assertThat(allowed).isEmpty();
            statement.execute("RESET ROLE; SELECT howdah.allow('" + role + "', 'producer'); SET ROLE " + role);
            for (String call : ADDING)
                if (!call.startsWith("schedule")) statement.execute("SELECT howdah." + call + ")");
            assertThatThrownBy(() -> statement.execute("SELECT howdah." + ADDING.get(6) + ")"))
                    .hasMessageContaining("permission denied");
            statement.execute("RESET ROLE; SELECT howdah.allow('" + role + "', 'worker'); SET ROLE " + role);
            statement.execute("SELECT howdah." + ADDING.get(6) + ")");
        }
    }
}
