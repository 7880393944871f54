package dev.howdah.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.embedded.internal.server.FreePorts;
import dev.howdah.embedded.internal.system.ServerUser;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedPostgresTest {
    @TempDir
    Path temp;

    @Test
    void server_firstStart_isDurableCheckedAndUtf8() throws Exception {
        try (EmbeddedPostgres server = Databases.at(temp.resolve("d")).start()) {
            assertThat(server.version()).isEqualTo("18.4");
            assertThat(server.uri()).isEqualTo("postgresql://postgres@127.0.0.1:" + server.port() + "/postgres");
            assertThat(Databases.value(server, "SHOW fsync")).isEqualTo("on");
            assertThat(Databases.value(server, "SHOW synchronous_commit")).isEqualTo("on");
            assertThat(Databases.value(server, "SHOW full_page_writes")).isEqualTo("on");
            assertThat(Databases.value(server, "SHOW data_checksums")).isEqualTo("on");
            assertThat(Databases.value(server, "SHOW server_encoding")).isEqualTo("UTF8");
            assertThat(Databases.value(server, "SHOW max_connections")).isEqualTo("200");
            assertThat(Databases.value(server, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(
                            Databases.value(
                                    server,
                                    "SELECT concat(datlocprovider, ' ', datlocale) FROM pg_database WHERE datname = 'postgres'"))
                    .isEqualTo("b C.UTF-8");
            assertThat(PosixFilePermissions.toString(
                            Files.getPosixFilePermissions(server.directory().resolve("data"))))
                    .isEqualTo("rwx------");
            // Under root the server may write into its data only.
            assertThat(Files.exists(server.directory().resolve(".s.PGSQL." + server.port())))
                    .isEqualTo(!ServerUser.root());
        }
    }

    @Test
    void files_ofTheDirectory_areClosedToOtherUsers() throws Exception {
        Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(temp.resolve("postgres.log"), "of an earlier start\n");
        try (EmbeddedPostgres server = Databases.at(temp).start()) {
            for (String name : List.of("postgres.log", "howdah.owner", "howdah.lock")) {
                assertThat(PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(server.directory().resolve(name))))
                        .as(name)
                        .isEqualTo("rw-------");
            }
        }
        assertThat(Files.readString(temp.resolve("postgres.log")))
                .startsWith("of an earlier start\n")
                .contains("ready to accept connections");
    }

    @Test
    void data_serverStartedAgain_isThere() throws Exception {
        try (EmbeddedPostgres server = Databases.at(temp).start()) {
            Databases.execute(server.port(), "CREATE TABLE t AS SELECT generate_series(1, 10) AS n");
        }
        try (EmbeddedPostgres server = Databases.at(temp).start()) {
            assertThat(Databases.value(server, "SELECT count(*) FROM t")).isEqualTo("10");
        }
    }

    @Test
    @Tag("long")
    void close_calledTwice_leavesNoProcess() {
        EmbeddedPostgres server = Databases.at(temp).start();
        AtomicInteger exits = new AtomicInteger();
        server.onExit(exits::incrementAndGet);
        server.close();
        server.close();
        assertThat(Databases.alive(server.pid())).isFalse();
        assertThat(exits).hasValue(0);
    }

    @Test
    void exit_serverKilled_isToldOnceAndNextStartRecovers() throws Exception {
        CountDownLatch exit = new CountDownLatch(1);
        AtomicInteger exits = new AtomicInteger();
        try (EmbeddedPostgres server = Databases.at(temp).start()) {
            server.onExit(() -> {
                exits.incrementAndGet();
                exit.countDown();
            });
            Databases.execute(server.port(), "CREATE TABLE t AS SELECT generate_series(1, 100000) AS n");
            ProcessHandle.of(server.pid()).orElseThrow().destroyForcibly();
            assertThat(exit.await(10, TimeUnit.SECONDS)).isTrue();
            server.onExit(exits::incrementAndGet);
        }
        assertThat(exits).hasValue(2);
        try (EmbeddedPostgres server = Databases.at(temp).start()) {
            assertThat(Databases.value(server, "SELECT count(*) FROM t")).isEqualTo("100000");
        }
    }

    @Test
    @Tag("long")
    void settings_given_overrideDefaultsAndKeepTheirSpaces() throws Exception {
        try (EmbeddedPostgres server = Databases.at(temp)
                .durable(false)
                .setting("max_connections", "17")
                .setting("howdah.note", "it's a -c \"test\"")
                .start()) {
            assertThat(Databases.value(server, "SHOW max_connections")).isEqualTo("17");
            assertThat(Databases.value(server, "SHOW howdah.note")).isEqualTo("it's a -c \"test\"");
            assertThat(Databases.value(server, "SHOW fsync")).isEqualTo("off");
            assertThat(Databases.value(server, "SHOW synchronous_commit")).isEqualTo("off");
        }
    }

    @Test
    @Tag("long")
    void alterSystem_ofADefault_holdsAtNextStart() throws Exception {
        try (EmbeddedPostgres server = Databases.at(temp).start()) {
            Databases.execute(server.port(), "ALTER SYSTEM SET shared_buffers = '64MB'");
        }
        try (EmbeddedPostgres server = Databases.at(temp).start()) {
            assertThat(Databases.value(server, "SHOW shared_buffers")).isEqualTo("64MB");
        }
    }

    @Test
    void settings_wrongValue_failWithTheServersReason() {
        assertThatThrownBy(() -> Databases.at(temp).setting("work_mem", "a lot").start())
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageContaining("work_mem")
                .hasMessageContaining("a lot")
                .hasMessageNotContaining("\n");
        assertThatThrownBy(() -> Databases.at(temp).setting("port; x", "1"))
                .hasMessageContaining("port; x")
                .hasMessageContaining("work_mem");
    }

    @Test
    void password_required_isAskedForAndKeptPrivate() throws Exception {
        try (EmbeddedPostgres server =
                Databases.at(temp.resolve("a b")).passwordRequired(true).start()) {
            String password =
                    Files.readString(server.directory().resolve("password")).strip();
            Path passfile = server.passfile().orElseThrow();
            assertThat(password).hasSize(32);
            assertThat(server.uri()).doesNotContain(password);
            assertThat(Databases.decoded(server.uri())).endsWith("/postgres?passfile=" + passfile);
            assertThat(Files.readString(passfile)).isEqualTo("127.0.0.1:*:*:postgres:" + password + "\n");
            for (Path file : new Path[] {passfile, server.directory().resolve("password")}) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .isEqualTo("rw-------");
            }
            try (Connection connection = Databases.connect(server.port(), password)) {
                assertThat(connection.isValid(5)).isTrue();
            }
            assertThatThrownBy(() -> Databases.connect(server.port(), "wrong"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("password authentication failed");
        }
    }

    @Test
    void password_requiredLater_isSetOnDataMadeWithout() throws Exception {
        try (EmbeddedPostgres server = Databases.at(temp).start()) {
            assertThat(server.passfile()).isEmpty();
        }
        try (EmbeddedPostgres server = Databases.at(temp).passwordRequired(true).start()) {
            String password = Files.readString(temp.resolve("password")).strip();
            assertThatThrownBy(() -> Databases.connect(server.port(), "")).isInstanceOf(SQLException.class);
            Databases.connect(server.port(), password).close();
        }
        try (EmbeddedPostgres server = Databases.at(temp).start()) {
            assertThat(Databases.value(server, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void directory_inUse_isRefusedWithItsOwner() {
        try (EmbeddedPostgres server = Databases.at(temp).start()) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> Databases.at(temp).start())
                        .isInstanceOf(EmbeddedPostgresException.class)
                        .hasMessageStartingWith(server.directory() + " is in use by process "
                                + ProcessHandle.current().pid() + " (since ")
                        .hasMessageEndingWith(", PostgreSQL on port " + server.port()
                                + "); stop it first or choose another directory with --data");
            }
        }
        Databases.at(temp).start().close();
    }

    @Test
    void data_ofAnotherMajor_isRefused() throws Exception {
        Files.createDirectory(temp.resolve("data"));
        Files.writeString(temp.resolve("data/PG_VERSION"), "17\n");
        assertThatThrownBy(() -> Databases.at(temp).start())
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageStartingWith(
                        temp.toRealPath().resolve("data") + " was made by PostgreSQL 17, this Howdah brings 18.4; ")
                .hasMessageContaining("--data");
        Files.delete(temp.resolve("data/PG_VERSION"));
        assertThatThrownBy(() -> Databases.at(temp).start()).hasMessageContaining("has no PG_VERSION");
    }

    @Test
    void port_inUse_isNamed() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            assertThatThrownBy(
                            () -> Databases.at(temp).port(other.getLocalPort()).start())
                    .isInstanceOf(EmbeddedPostgresException.class)
                    .hasMessage("port " + other.getLocalPort() + " on 127.0.0.1 is in use by another program;"
                            + " choose another port with --pg-port (0 takes a free one)");
        }
        assertThatThrownBy(() -> Databases.at(temp).port(70000)).hasMessageContaining("70000");
    }

    @Test
    void port_lostToARace_isToldAsInUse() {
        assertThat(FreePorts.taken(5432, "LOG: could not bind IPv4 address \"127.0.0.1\": Address already in use"))
                .hasMessageContaining("port 5432 on 127.0.0.1 is in use");
        assertThat(FreePorts.taken(80, "LOG: could not bind IPv4 address \"127.0.0.1\": Permission denied"))
                .hasMessageContaining("port 80 on 127.0.0.1 may not be used by this user");
    }

    @Test
    @Tag("long")
    void listenAddresses_given_keepTheLoopback() throws Exception {
        try (EmbeddedPostgres server =
                Databases.at(temp).setting("listen_addresses", "127.0.0.2").start()) {
            assertThat(Databases.value(server, "SHOW listen_addresses")).isEqualTo("127.0.0.1,127.0.0.2");
        }
    }

    @Test
    @Tag("long")
    void port_given_isUsed() throws Exception {
        int port = FreePorts.free();
        try (EmbeddedPostgres server = Databases.at(temp).port(port).start()) {
            assertThat(server.port()).isEqualTo(port);
            assertThat(Databases.value(port, "SHOW port")).isEqualTo(Integer.toString(port));
        }
    }

    @Test
    void directory_isAFile_isRefused() throws Exception {
        Path file = Files.createFile(temp.resolve("f"));
        assertThatThrownBy(() -> Databases.at(file).start())
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("--data");
    }

    @Test
    @Tag("long")
    void directory_withLongPath_hasNoSocket() throws Exception {
        Path longPath = temp.resolve("x".repeat(100));
        try (EmbeddedPostgres server = Databases.at(longPath).start()) {
            assertThat(Databases.value(server, "SHOW unix_socket_directories")).isEmpty();
        }
    }

    @Test
    void initdb_interruptedBefore_startsOver() throws Exception {
        Files.createDirectories(temp.resolve("data.tmp/base"));
        Files.writeString(temp.resolve("data.tmp/PG_VERSION"), "18\n");
        try (EmbeddedPostgres server = Databases.at(temp).start()) {
            assertThat(Databases.value(server, "SELECT 1")).isEqualTo("1");
        }
        assertThat(temp.resolve("data.tmp")).doesNotExist();
    }

    @Test
    @Tag("long")
    void log_grownLarge_isPutAside() throws Exception {
        Files.write(temp.resolve("postgres.log"), new byte[(10 << 20) + 1]);
        Databases.at(temp).start().close();
        assertThat(Files.size(temp.resolve("postgres.log"))).isLessThan(100_000);
        assertThat(temp.resolve("postgres.log.1")).exists();
    }
}
