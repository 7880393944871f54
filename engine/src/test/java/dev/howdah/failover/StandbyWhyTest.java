package dev.howdah.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.ServerPair;
import dev.howdah.health.Cause;
import dev.howdah.health.DatabaseHealth;
import dev.howdah.health.HealthCheck;
import dev.howdah.health.HealthCheck.Level;
import dev.howdah.job.Jobs;
import dev.howdah.process.ProcessReader;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import dev.howdah.sweep.Sweeps;
import dev.howdah.task.TaskScheduler;
import dev.howdah.task.TaskTable;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** Why something does not run, and the health of the database, asked of a standby. */
@Tag("long")
class StandbyWhyTest {
    @TempDir
    private Path directory;

    private static PGSimpleDataSource source(Database database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        Database.HostPort server = database.hosts().get(0);
        source.setUrl("jdbc:postgresql://" + server + "/postgres?user=postgres");
        return source;
    }

    private static boolean has(Database database, String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getBoolean(1);
        }
    }

    private static void assertStandby(List<Cause> causes) {
        assertThat(causes).extracting(Cause::code).containsExactly("standby");
        assertThat(causes.get(0).sentence()).startsWith("This server is a standby: ");
        assertThat(causes.get(0).remedy()).contains("primary");
    }

    private static HealthCheck replication(Database database) throws SQLException {
        return DatabaseHealth.on(database).check().stream()
                .filter(each -> each.name().equals("replication"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void causes_askedOfAStandby_sayThatItIsOne() throws Exception {
        try (ServerPair pair = ServerPair.start(directory)) {
            Database primary = Database.of(pair.primaryUri());
            Database standby = Database.of(pair.standbyUri());
            try (TaskScheduler scheduler = TaskScheduler.on(primary).start()) {
                assertThat(scheduler.awaitServed(Duration.ofMinutes(1))).isTrue();
            }
            try (Connection connection = primary.connect();
                    Statement statement = connection.createStatement()) {
                Jobs.install(connection);
                Processes.install(connection);
                Sweep.install(connection);
                statement.execute("INSERT INTO task (input) VALUES ('SELECT 1'); SELECT howdah.add('q', 'k', '1');"
                        + " SELECT howdah.schedule('s', 'q', 'k', cron => '@daily');"
                        + " INSERT INTO howdah.sweep (name, definition) VALUES ('s', '{}')");
            }
            await().atMost(Patience.LIMIT)
                    .until(() -> has(standby, "SELECT to_regclass('howdah.sweep') IS NOT NULL")
                            && has(standby, "SELECT EXISTS (SELECT FROM howdah.sweep)"));
            PGSimpleDataSource there = source(standby);
            assertStandby(Jobs.on(there).admin().why(1));
            assertStandby(Jobs.on(there).admin().whySchedule("s"));
            assertStandby(ProcessReader.on(there).why("ns", "p"));
            assertStandby(Sweeps.on(there).why("s"));
            List<Cause> task = TaskTable.on(standby, "public", "task").why(1);
            assertThat(task.get(0).code()).isEqualTo("standby");
            assertThat(task.get(0).sentence()).isEqualTo("This server is a standby: no task runs here.");

            // the primary names its standby, and a standby can be checked, too.
            assertThat(replication(primary).sentence()).matches("Standby .* is .* behind\\.");
            assertThat(replication(primary).level()).isEqualTo(Level.OK);
            assertThat(replication(standby).sentence()).isEqualTo("No server replicates this one.");
        }
    }
}
