package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.InstalledServer;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks that are statements in a MariaDB; skipped where the machine has none. */
@PostgresTest
@Tag("long")
class MariaDbTaskTest {
    private static final Path SERVER = Path.of("/usr/sbin/mariadbd");

    @TempDir
    static Path directory;

    private static int port;
    private static InstalledServer server;

    private final TestDatabase database;
    private ReachingTasks tasks;

    MariaDbTaskTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    static void startServer() throws Exception {
        InstalledServer.require("mariadb-server", SERVER);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path data = directory.resolve("maria");
        List<String> user = JdbcTaskTest.ROOT ? List.of("--user=nobody") : List.of();
        List<String> install = new ArrayList<>(List.of(
                "mariadb-install-db",
                "--no-defaults",
                "--datadir=" + data,
                "--auth-root-authentication-method=normal",
                "--skip-test-db"));
        install.addAll(user);
        InstalledServer.prepare(directory.resolve("install.log"), install);
        port = InstalledServer.freePort();
        List<String> command = new ArrayList<>(List.of(
                SERVER.toString(),
                "--no-defaults",
                "--datadir=" + data,
                "--socket=" + data.resolve("s"),
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--innodb-buffer-pool-size=16M",
                "--local-infile=1"));
        command.addAll(user);
        server = InstalledServer.start(directory.resolve("server.log"), List.of(), command);
        await().atMost(Patience.LIMIT).ignoreExceptions().until(() -> {
            execute(
                    "CREATE DATABASE crm CHARACTER SET utf8mb4",
                    "CREATE USER crm@localhost IDENTIFIED BY 'geheim-4711'",
                    "GRANT ALL ON crm.* TO crm@localhost");
            return true;
        });
    }

    @AfterAll
    static void stopServer() throws InterruptedException {
        if (server != null) server.close();
    }

    private static void execute(String... all) throws SQLException {
        try (Connection connection = admin();
                Statement statement = connection.createStatement()) {
            for (String each : all) statement.execute(each);
        }
    }

    private static Connection admin() throws SQLException {
        return new org.mariadb.jdbc.Driver()
                .connect("jdbc:mariadb://127.0.0.1:" + port + "/", new java.util.Properties() {
                    private static final long serialVersionUID = 1;

                    {
                        setProperty("user", "root");
                    }
                });
    }

    @BeforeEach
    void serve(@TempDir Path own) throws IOException, URISyntaxException {
        Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path drivers = Files.createDirectory(own.resolve("drivers"));
        Files.setPosixFilePermissions(drivers, PosixFilePermissions.fromString("rwxr-xr-x"));
        JdbcTaskTest.copyDriver(org.mariadb.jdbc.Driver.class, drivers.resolve("mariadb.jar"));
        Path secret = own.resolve("crm.secret");
        Files.writeString(secret, "geheim-4711");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        Path file = own.resolve("reach.json");
        Files.writeString(file, """
                {"databases": {"crm": {"url": "jdbc:mariadb://127.0.0.1:%d/crm", %s}},
                 "credentials": {"crm": {"kind": "login", "user": "crm", "file": "crm.secret", "for": "jdbc:crm=postgres"}}}
                """.formatted(port, JdbcTaskTest.USER));
        tasks = new ReachingTasks(database, ReachSettings.of(List.of("jdbc:crm"), file, Map.of()));
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    @Test
    void rows_areRenderedAsOfPostgres() {
        String sql = """
                CREATE OR REPLACE TABLE item (id int, name varchar(30), paid bit(1), at datetime, price decimal(9, 2), bytes varbinary(4));
                INSERT INTO item VALUES (1, 'Ann\\'s; Счёт', b'1', '2026-11-26 10:00:00', 19.90, x'00ff'); # a comment;
                UPDATE item SET price = 20 WHERE id = 2;
                SELECT * FROM item
                """;
        assertThat(tasks.output("jdbc:crm?as=crm", sql)).isEqualTo("""
                CREATE
                INSERT 0 1
                UPDATE 0
                id	name	paid	at	price	bytes
                1	Ann's; Счёт	t	2026-11-26 10:00:00	19.90	\\x00ff""");
    }

    @Test
    void login_withoutACredential_isRefusedForGood() {
        assertThat(tasks.error("jdbc:crm", "SELECT 1")).contains("SQLSTATE 28000");
    }

    @Test
    void files_ofTheProgram_areNotSentToTheServer() throws IOException {
        Path file = directory.resolve("readable.txt");
        Files.writeString(file, "of the machine\n");
        String sql =
                "CREATE OR REPLACE TABLE stolen (line text); LOAD DATA LOCAL INFILE '" + file + "' INTO TABLE stolen";
        assertThat(tasks.error("jdbc:crm?as=crm", sql)).containsIgnoringCase("local");
        assertThat(tasks.output("jdbc:crm?as=crm", "SELECT count(*) FROM stolen"))
                .isEqualTo("0");
    }

    @Test
    void row_thatIsStopped_endsTheStatementInTheServer() throws SQLException {
        long id = tasks.add("jdbc:crm?as=crm", "SELECT SLEEP(300)", "timeout", "'10 minutes'");
        await().atMost(Patience.LIMIT).until(() -> sleeping() == 1);
        tasks.execute("UPDATE task SET state = 'STOP' WHERE id = " + id);
        await().atMost(Patience.LIMIT).until(() -> tasks.column("stop", id), stop -> !stop.equals("null"));
        assertThat(tasks.column("state", id)).isEqualTo("STOP");
        await().atMost(Patience.LIMIT).until(() -> sleeping() == 0);
    }

    private static int sleeping() throws SQLException {
        try (Connection connection = admin();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT count(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'")) {
            row.next();
            return row.getInt(1);
        }
    }

    @Test
    void statements_oneOfWhichFails_changeNothing() {
        tasks.output("jdbc:crm?as=crm", "CREATE OR REPLACE TABLE t (a int) ENGINE InnoDB");
        assertThat(tasks.error("jdbc:crm?as=crm", "INSERT INTO t VALUES (1); SELECT nothing FROM t"))
                .contains("SQLSTATE 42S22", "code 1054");
        assertThat(tasks.output("jdbc:crm?as=crm", "SELECT count(*) FROM t")).isEqualTo("0");
    }
}
