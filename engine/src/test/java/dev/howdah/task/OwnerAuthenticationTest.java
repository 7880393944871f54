package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.embedded.EmbeddedPostgres;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What pg_hba.conf says of the logins of owners, and that no way back into the server leads to more. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.SAME_THREAD)
@Tag("long")
class OwnerAuthenticationTest {
    private static final String TRUST = "host all all all trust";

    private EmbeddedPostgres postgres;
    private Scheduled tasks;
    private Path rules;

    @BeforeAll
    void serve(@TempDir Path directory) throws IOException {
        Path programs = Path.of(
                System.getProperty("java.io.tmpdir"), "howdah-test-postgres-" + System.getProperty("user.name"));
        postgres =
                EmbeddedPostgres.at(directory).binaries(programs).durable(false).start();
        tasks = Scheduled.at(postgres.uri());
        tasks.execute("CREATE ROLE app LOGIN; CREATE EXTENSION dblink; CREATE EXTENSION postgres_fdw;"
                + " GRANT USAGE ON FOREIGN DATA WRAPPER postgres_fdw TO app; GRANT CREATE ON SCHEMA public TO app");
        rules = Path.of(tasks.value("SHOW hba_file"));
        TestCertificate.of("localhost").install(Path.of(tasks.value("SHOW data_directory")), "server");
        tasks.execute("ALTER SYSTEM SET ssl = on");
        tasks.execute("ALTER SYSTEM SET ssl_ca_file = 'server.crt'");
        rules(TRUST);
        Scheduled.awaiting("TLS").until(() -> tasks.value("SHOW ssl").equals("on"));
        tasks.serve();
    }

    @AfterAll
    void close() {
        tasks.close();
        postgres.close();
    }

    /** Lines for everybody but the scheduler's own role. */
    private void rules(String... lines) throws IOException {
        Files.writeString(rules, "host all postgres all trust\n" + String.join("\n", lines) + "\n");
        tasks.execute("SELECT pg_reload_conf()");
        Scheduled.awaiting("rules read")
                .until(() -> tasks.number("SELECT count(*) FROM pg_hba_file_rules WHERE error IS NULL")
                                == lines.length + 1
                        && tasks.value("SELECT pg_conf_load_time() > (pg_stat_file('" + rules + "')).modification")
                                .equals("t"));
        tasks.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename ~ '^howdah_'");
    }

    private String run(String input) {
        long id = tasks.add(input, "owner", "'app'");
        tasks.awaitEnd(id);
        return tasks.value("SELECT COALESCE(error, output) FROM task WHERE id = " + id);
    }

    private void assertRuns() {
        Scheduled.awaiting("a task of app runs")
                .until(() -> run("SELECT current_user").equals("app"));
    }

    @Test
    void login_withRulesForPasswords_isLetIn() throws IOException {
        for (String method : new String[] {"scram-sha-256", "md5", "password"}) {
            rules("host all all all " + method);
            assertRuns();
        }
        rules(TRUST);
    }

    @Test
    void login_withRulesForCertificatesOrUsersOfTheMachine_isRefusedWithTheRemedyUntilTheyChange() throws IOException {
        for (String[] lines :
                new String[][] {{"hostssl all all all cert", "hostnossl all all all reject"}, {"host all all all ident"}
                }) {
            rules(lines);
            assertThat(run("SELECT 1"))
                    .as(lines[0])
                    .startsWith("ERROR:  the task cannot run with the rights of role \"app\"")
                    .contains("pg_hba.conf needs a line for it with scram-sha-256 or md5");
            long own = tasks.add("SELECT 1");
            tasks.awaitState(own, "DONE");
        }
        rules(TRUST);
        assertRuns();
    }

    /** As after the rotation of its password, or when its certificate has expired: the session that it has lives on. */
    @Test
    void schedulersOwnRole_notLetInAnyMore_leavesTasksOfOwnersWaiting() throws Exception {
        tasks.execute("CREATE DATABASE rotated");
        BlockingQueue<Optional<String>> told = new LinkedBlockingQueue<>();
        Database database = Database.of(postgres.uri()).withDatabase("rotated");
        try (Connection connection = database.connect(new Properties());
                Statement statement = connection.createStatement();
                TaskScheduler scheduler = TaskScheduler.on(database)
                        .listener(new TaskScheduler.Listener() {
                            @Override
                            public void sessionsRefused(@Nullable String reason) {
                                told.add(Optional.ofNullable(reason));
                            }
                        })
                        .start()) {
            assertThat(scheduler.awaitServed(Patience.LIMIT)).isTrue();
            Files.writeString(rules, "host rotated postgres all reject\n" + TRUST + "\n");
            tasks.execute("SELECT pg_reload_conf()");
            Scheduled.awaiting("rules read")
                    .until(() -> tasks.value(
                                    "SELECT pg_conf_load_time() > (pg_stat_file('" + rules + "')).modification")
                            .equals("t"));

            statement.execute("INSERT INTO task (input, owner) SELECT 'SELECT 1', 'app' FROM generate_series(1, 50)");
            Optional<String> reason = told.poll(Patience.LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            assertThat(reason).isNotNull();
            assertThat(reason.orElse("")).contains("pg_hba.conf rejects connection");
            assertThat(count(statement, "state = 'PLAN'")).isEqualTo(50);

            rules(TRUST);
            assertThat(told.poll(Patience.LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                    .isEqualTo(Optional.empty());
            Scheduled.awaiting("all tasks run").until(() -> count(statement, "state = 'DONE'") == 50);
        }
    }

    private static int count(Statement statement, String condition) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT count(*) FROM task WHERE " + condition)) {
            row.next();
            return row.getInt(1);
        }
    }

    /** Not even where the server would let everybody in: dblink and postgres_fdw want the server to ask for a password. */
    @Test
    void task_onItsWayBackIntoTheServer_getsNoOtherRole() throws IOException {
        String words = "host=127.0.0.1 port=" + postgres.port() + " dbname=postgres user=postgres password=x";
        for (String method : new String[] {"trust", "scram-sha-256"}) {
            rules("host all all all " + method);
            assertRuns();
            assertThat(run("SELECT * FROM dblink('" + words + "', 'SELECT current_user') AS t (who text)"))
                    .startsWith("ERROR:  ")
                    .contains("password");
            assertThat(run("SELECT dblink_connect_u('" + words + "')")).startsWith("ERROR:  permission denied");
            assertThat(run("CREATE SERVER home FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '"
                            + postgres.port()
                            + "', dbname 'postgres'); CREATE USER MAPPING FOR app SERVER home OPTIONS ("
                            + "user 'postgres', password 'x'); CREATE FOREIGN TABLE far (rolname text) SERVER home OPTIONS ("
                            + "schema_name 'pg_catalog', table_name 'pg_authid'); SELECT * FROM far"))
                    .startsWith("ERROR:  ")
                    .contains("password");
        }
        rules(TRUST);
    }

    @Test
    void login_whoseOwnerIsDropped_isDroppedWhenASchedulerBegins() {
        tasks.execute("CREATE ROLE leaver");
        long id = tasks.add("SELECT current_user", "owner", "'leaver'");
        tasks.awaitState(id, "DONE");
        String login = tasks.value("SELECT 'howdah_%_' || oid FROM pg_roles WHERE rolname = 'leaver'");
        String left = "SELECT count(*) FROM pg_roles WHERE rolname LIKE '" + login.replace("_", "\\_") + "'";
        assertThat(tasks.number(left)).isEqualTo(1);
        tasks.execute("DROP ROLE leaver");
        assertThat(tasks.number(left)).isEqualTo(1);
        tasks.terminate(Scheduled.BOOKS);
        Scheduled.awaiting("dropped").until(() -> tasks.number(left) == 0);
        assertRuns();
    }
}
