package dev.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** The features are taken out one by one, in the order in which they came, and leave nothing. */
@PostgresTest
class UninstallTest {
    private final TestDatabase database;

    UninstallTest(TestDatabase database) {
        this.database = database;
    }

    private String features() {
        return String.valueOf(
                database.value("SELECT string_agg(DISTINCT feature, ' ' ORDER BY feature) FROM howdah.migration"));
    }

    @Test
    void features_takenOutOneByOne_leaveTheOthersAndThenNothing() throws SQLException {
        try (Connection connection = database.connect()) {
            Processes.install(connection);
            Jobs.install(connection);
            Sweep.install(connection);
            assertThat(features()).isEqualTo("job node process sweep");
            Processes.uninstall(connection, "howdah", false);
            assertThat(features()).isEqualTo("job node sweep");
            Sweep.uninstall(connection, false);
            assertThat(features()).isEqualTo("job node");
            Processes.uninstall(connection, "howdah", false);
            Jobs.uninstall(connection, false);
            assertThat(database.value("""
                                    SELECT 'left: ' || COALESCE(string_agg(o.name, ' '), '')
                                    FROM (SELECT relname::text FROM pg_class c WHERE c.relnamespace::regnamespace::text ~ '^howdah'
                                        UNION ALL SELECT proname::text FROM pg_proc p WHERE p.pronamespace::regnamespace::text ~ '^howdah'
                                        UNION ALL SELECT nspname::text FROM pg_namespace n WHERE n.nspname ~ '^howdah') AS o (name)""")).isEqualTo("left: ");
            Sweep.uninstall(connection, false);
            Processes.install(connection);
        }
    }

    @Test
    void featureWithRows_isRefusedUnlessForced() throws SQLException {
        try (Connection connection = database.connect()) {
            Processes.install(connection);
            Sweep.install(connection);
            database.execute("INSERT INTO howdah_internal.process_namespace (name) VALUES ('order')");
            database.execute(
                    "INSERT INTO howdah_internal.process (namespace, id, status, previous_status, lane) SELECT id, 'o-1', 'running', 'init', 0 FROM howdah_internal.process_namespace");
            assertThatThrownBy(() -> Processes.uninstall(connection, "howdah", false))
                    .hasMessage("1 process is still there");
            Processes.uninstall(connection, "howdah", true);
            assertThat(features()).isEqualTo("node sweep");
        }
    }
}
