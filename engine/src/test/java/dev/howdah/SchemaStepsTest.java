package dev.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.internal.sql.Migrations;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.internal.store.JobSchema;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The steps between versions of the tables, in the hands of a tool that changes schemas. */
class SchemaStepsTest {
    private static final Kind<Long> WORK = Kind.of("work", Long.class);
    private static final String VERSIONS =
            "SELECT string_agg(feature || ' ' || version || ' ' || file || ' ' || made, ', ' ORDER BY feature, version)"
                    + " FROM howdah.migration";

    private static PGSimpleDataSource source(TestDatabase database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(
                "jdbc:postgresql://" + database.uri().substring("postgresql://postgres@".length()) + "?user=postgres");
        return source;
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void steps_appliedByFlyway_areWhatProgramsNeed(int major, @TempDir Path directory) throws Exception {
        Files.writeString(directory.resolve("V1__own.sql"), "CREATE TABLE mine (a integer);");
        Files.writeString(directory.resolve("V2.1__howdah_job_1.sql"), Jobs.schema(0, 1));
        Files.writeString(directory.resolve("V2.2__howdah_process_1.sql"), Processes.schema(0, 1));
        Files.writeString(directory.resolve("V2.3__howdah_sweep_1.sql"), Sweep.schema(0, 1));
        Files.writeString(directory.resolve("V3__own.sql"), "CREATE TABLE mine_too (a integer);");
        try (TestDatabase database = TestDatabase.create(TestServer.of(major))) {
            Flyway flyway = flyway(database, directory);
            assertThat(flyway.migrate().migrationsExecuted).isEqualTo(5);
            assertThat(flyway.migrate().migrationsExecuted).isZero();
            assertThat(database.value("SELECT to_regclass('public.mine_too')")).isEqualTo("mine_too");
            String versions = database.value(VERSIONS);
            assertThat(versions).contains("job 1 001-job.sql", "process 1 001-process.sql", "sweep 1 001-sweep.sql");
            CountDownLatch done = new CountDownLatch(1);
            try (Jobs jobs = Jobs.on(source(database))
                    .handle(WORK, (payload, job) -> done.countDown())
                    .start()) {
                jobs.add(WORK, 1L);
                assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
            }
            try (Connection connection = database.connect()) {
                Processes.install(connection);
                Sweep.install(connection);
            }
            assertThat(database.value(VERSIONS)).isEqualTo(versions);

            Files.writeString(
                    directory.resolve("V4__howdah_job_2.sql"),
                    new Migrations("job", "jobs", JobSchema.class, List.of("001-job.sql", "002-job.sql")).text(1, 2));
            assertThat(flyway(database, directory).migrate().migrationsExecuted).isEqualTo(1);
            assertThat(database.value("SELECT max(version) FROM howdah.migration WHERE feature = 'job'"))
                    .isEqualTo("2");
        }
    }

    private static Flyway flyway(TestDatabase database, Path directory) {
        return Flyway.configure()
                .dataSource(source(database))
                .locations("filesystem:" + directory)
                .load();
    }

    @Test
    void step_ofAnotherVersionThanTheTables_isRefusedAndChangesNothing() throws SQLException, IOException {
        try (TestDatabase database = TestDatabase.create();
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            Jobs.install(connection);
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> statement.execute(Jobs.schema(0, 1)))
                    .hasMessageContaining(
                            "these statements are for version 0 of the tables of jobs, which have version 1");
            connection.rollback();
            statement.execute(Processes.schema(0, 1));
            connection.commit();
            assertThat(
                            database.value(
                                    "SELECT string_agg(feature || version, ' ' ORDER BY feature, version) FROM howdah.migration"))
                    .isEqualTo("job1 node1 process1");
        }
    }

    @Test // the table of nodes is a part of both: the first of them makes it
    void schemas_ofJobsAndProcesses_inAnyOrder_makeTheTableOfNodesOnce() throws SQLException {
        List<String> jobs = List.of(Jobs.schema());
        List<String> processes = List.of(Processes.schema(0, 1));
        for (List<String> schemas : List.of(
                jobs,
                processes,
                List.of(Jobs.schema(), Processes.schema()),
                List.of(Processes.schema(0, 1), Jobs.schema(0, 1)))) {
            try (TestDatabase database = TestDatabase.create();
                    Connection connection = database.connect();
                    Statement statement = connection.createStatement()) {
                for (String each : schemas) statement.execute(each);
                String versions = database.value(VERSIONS);
                assertThat(versions).contains("node 1 001-node.sql");
                if (schemas != processes) Jobs.install(connection);
                if (schemas != jobs) Processes.install(connection);
                assertThat(database.value(VERSIONS)).isEqualTo(versions);
                assertThat(database.value("SELECT count(*) FROM howdah_internal.node"))
                        .isEqualTo("0");
            }
        }
    }

    @Test // nodes of processes stay
    void uninstall_ofJobsBesideProcesses_leavesTheTableOfNodes() throws SQLException {
        try (TestDatabase database = TestDatabase.create();
                Connection connection = database.connect()) {
            Jobs.install(connection);
            Processes.install(connection);
            database.execute("INSERT INTO howdah_internal.node (name, features)"
                    + " VALUES ('a', '{job}'), ('b', '{job,process}'), ('c', '{process}')");
            Jobs.uninstall(connection, false);
            assertThat(database.value(
                            "SELECT string_agg(name || features::text, ' ' ORDER BY name) FROM howdah_internal.node"))
                    .isEqualTo("b{process} c{process}");
            assertThat(database.value(
                            "SELECT string_agg(feature, ' ' ORDER BY feature, version) FROM howdah.migration"))
                    .isEqualTo("node process");
            Jobs.install(connection);
            assertThat(database.value("SELECT count(*) FROM howdah_internal.node"))
                    .isEqualTo("2");
        }
    }

    @Test // the statements of the tool that follow in the transaction
    void step_inATransaction_leavesTheSearchPath() throws SQLException {
        try (TestDatabase database = TestDatabase.create();
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("CREATE SCHEMA tool; SET search_path = tool, public");
            statement.execute(Sweep.schema(0, 1));
            statement.execute("CREATE TABLE history (a integer)");
            connection.commit();
            assertThat(database.value("SELECT to_regclass('tool.history')")).isEqualTo("tool.history");
        }
    }

    @Test
    void steps_ofVersionsThatAreNotThere_areRefused() {
        for (int[] versions : new int[][] {{0, 0}, {-1, 1}, {0, 99}, {1, 1}})
            assertThatThrownBy(() -> Jobs.schema(versions[0], versions[1]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("no steps from version " + versions[0] + " to " + versions[1]
                            + ": the tables of jobs have the versions 1 to ");
    }
}
