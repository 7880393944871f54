package dev.howdah.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.howdah.Database;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@PostgresTest
class OpeningTest {
    /** A port at which nothing listens, and which no test is given. */
    private static final int DEAD = 1;

    private final TestDatabase database;
    private final Database address;

    OpeningTest(TestDatabase database) {
        this.database = database;
        this.address = Database.of(database.uri(), Map.of());
    }

    private static WireConnection open(Database address) throws WireException {
        return WireConnection.open(address, Map.of(), Duration.ofSeconds(10));
    }

    private static WireException failure(Database address) {
        return catchThrowableOfType(WireException.class, () -> open(address).close());
    }

    @Test
    void database_unknown_isSaidByTheServer() {
        WireException failure = failure(address.withDatabase("no such"));
        assertThat(failure.sqlState()).isEqualTo("3D000");
        assertThat(failure)
                .hasMessageStartingWith("cannot connect to database \"no such\" at 127.0.0.1:")
                .hasMessageEndingWith("FATAL: database \"no such\" does not exist (3D000)");
    }

    @Test
    void host_whereNobodyListens_isUnreachable() {
        Database nowhere = address.with("host", "127.0.0.1").with("port", Integer.toString(DEAD));
        WireException failure = failure(nowhere);
        assertThat(failure.sqlState()).isEqualTo("08001");
        assertThat(failure).hasMessage("cannot connect to " + nowhere.describe() + ": Connection refused");
    }

    @Test
    void host_withoutAddress_isUnknown() {
        assertThat(failure(address.with("host", "no-such-host.invalid")))
                .hasMessageEndingWith("unknown host \"no-such-host.invalid\"");
    }

    @Test
    void hosts_several_areTriedInOrder() throws IOException {
        int live = address.hosts().get(0).port();
        try (WireConnection connection =
                open(address.with("host", "127.0.0.1,127.0.0.1").with("port", DEAD + "," + live))) {
            assertThat(connection.isOpen()).isTrue();
        }
        WireException failure = failure(address.with("host", "127.0.0.1,::1").with("port", DEAD + "," + DEAD));
        assertThat(failure)
                .hasMessageContaining("at 127.0.0.1:" + DEAD + " ")
                .hasMessageContaining("at [::1]:" + DEAD + " ");
    }

    /** As a server whose processes are stopped: the kernel takes the connection, and nothing is ever said. */
    @Test
    void host_thatSaysNothing_isGivenUpForTheNext() throws IOException, SQLException {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            int live = address.hosts().get(0).port();
            for (String kind : new String[] {"any", "read-write", "prefer-standby"}) {
                Database both = address.with("host", "127.0.0.1,127.0.0.1")
                        .with("port", silent.getLocalPort() + "," + live)
                        .with("target_session_attrs", kind)
                        .with("connect_timeout", "1");
                try (WireConnection connection = WireConnection.open(both, Map.of(), Duration.ofSeconds(1))) {
                    assertThat(connection.address().hosts().get(0).port()).isEqualTo(live);
                }
                try (Connection connection = both.connect()) {
                    assertThat(connection.isValid(10)).isTrue();
                    assertThat(connection.getNetworkTimeout()).isZero();
                }
            }
        }
    }

    /** Nothing is said of timeouts: there is one all the same. */
    @Test
    void host_thatSaysNothing_isGivenUpWithoutATimeoutInTheUrl() throws IOException, SQLException {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            int live = address.hosts().get(0).port();
            Database both =
                    address.with("host", "127.0.0.1,127.0.0.1").with("port", silent.getLocalPort() + "," + live);
            long begun = System.nanoTime();
            try (Connection connection = both.connect()) {
                assertThat(connection.isValid(10)).isTrue();
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isBetween(Duration.ofSeconds(4), Duration.ofSeconds(40));
        }
    }

    @Test
    void hosts_allUnusable_eachReasonIsSaid() {
        Database nowhere = address.with("host", "127.0.0.1,127.0.0.1").with("port", DEAD + "," + DEAD);
        SQLException failure = catchThrowableOfType(SQLException.class, nowhere::connect);
        assertThat((Throwable) failure)
                .hasMessageStartingWith("no server of database")
                .hasMessageContaining("refused");
        assertThat(failure.getSQLState()).isEqualTo("08001");
    }

    @Test
    void server_thatDoesNotAnswer_isGivenUpInTime() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            Database mute = address.with("port", Integer.toString(silent.getLocalPort()));
            for (String mode : new String[] {"disable", "require"}) {
                WireException failure = catchThrowableOfType(
                        WireException.class,
                        () -> WireConnection.open(mute.with("sslmode", mode), Map.of(), Duration.ofMillis(200)));
                assertThat(failure).hasMessageEndingWith(": no answer within 200 ms");
            }
        }
    }

    @Test
    void server_thatSpeaksAnotherProtocol_isRecognised() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            Thread thread = new Thread(() -> {
                try (var socket = other.accept()) {
                    socket.getOutputStream()
                            .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    socket.getInputStream().transferTo(OutputStream.nullOutputStream());
                } catch (IOException e) {
                    // The client hangs up, as it should.
                }
            });
            thread.start();
            WireException failure = failure(
                    address.with("port", Integer.toString(other.getLocalPort())).with("sslmode", "disable"));
            assertThat(failure).hasMessageContaining("this is not the protocol of PostgreSQL");
            thread.join();
        }
    }

    @Test
    void sessionKind_wanted_isChecked() throws WireException {
        database.execute("ALTER DATABASE " + database.name() + " SET default_transaction_read_only = on");
        assertThat(failure(address.with("target_session_attrs", "read-write")))
                .hasMessageEndingWith("is read-only, but target_session_attrs is read-write");
        assertThat(failure(address.with("target_session_attrs", "standby")))
                .hasMessageEndingWith("is a primary, but target_session_attrs is standby");
        for (String kind : new String[] {"any", "read-only", "primary", "prefer-standby"})
            open(address.with("target_session_attrs", kind)).close();
    }

    @Test
    void sessionKind_ofAServerThatDoesNotReportIt_isAskedFor() throws WireException {
        TestServer oldest = TestServer.of(TestServer.majors().get(0));
        try (TestDatabase old = TestDatabase.create(oldest)) {
            Database there = Database.of(old.uri(), Map.of());
            open(there.with("target_session_attrs", "read-write")).close();
            assertThat(failure(there.with("target_session_attrs", "read-only")))
                    .hasMessageEndingWith("is a primary, but target_session_attrs is read-only");
            old.execute("ALTER DATABASE " + old.name() + " SET default_transaction_read_only = on");
            open(there.with("target_session_attrs", "read-only")).close();
            assertThat(failure(there.with("target_session_attrs", "read-write")))
                    .hasMessageContaining("is read-only");
        }
    }

    @Test
    void unixSocket_ofTheServer_isReached(@TempDir Path directory) throws IOException {
        // The server of root is another user, and has no socket of its own.
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        TestServer server = TestServer.with(Map.of("unix_socket_directories", directory.toString()));
        Database local = Database.of(server.uri(), Map.of()).with("host", directory.toString());
        try (WireConnection connection = open(local)) {
            Recorder recorder = new Recorder(connection::charset);
            connection.query(
                    "SELECT inet_server_addr() IS NULL AS a; SELECT length(repeat('x', 1000000)) AS n", recorder);
            connection.query("SELECT length('" + "y".repeat(1_000_000) + "') AS n", recorder);
            assertThat(recorder.events).contains("row t", "row 1000000");
            connection.cancel();
        }
    }

    @Test
    void jdbc_ofTheSameAddress_connects() throws SQLException {
        Database named = address.with("application_name", "mine").with("options", "-c work_mem=3MB");
        try (Connection connection = named.connect();
                ResultSet row = connection
                        .createStatement()
                        .executeQuery("SELECT current_database(), current_user, current_setting('application_name'),"
                                + " current_setting('work_mem')")) {
            row.next();
            assertThat(row.getString(1)).isEqualTo(database.name());
            assertThat(row.getString(2)).isEqualTo(address.user());
            assertThat(row.getString(3)).isEqualTo("mine");
            assertThat(row.getString(4)).isEqualTo("3MB");
        }
    }
}
