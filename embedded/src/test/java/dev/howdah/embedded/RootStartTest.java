package dev.howdah.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.embedded.internal.system.DirectoryTree;
import dev.howdah.embedded.internal.system.ServerUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server started by root may do on the machine. JUnit makes the directory 0700 and root's, as /root is. */
@Tag("long")
class RootStartTest {
    private static final int UNPRIVILEGED = ServerUser.UNPRIVILEGED;

    @TempDir
    Path closed;

    @BeforeAll
    static void onlyForRoot() {
        assumeTrue(ServerUser.root(), "only root has privileges to lose");
    }

    @Test
    void server_itsProcesses_haveNoUidOfRootAndNoCapability() throws Exception {
        try (EmbeddedPostgres server = Databases.at(closed.resolve("d")).start()) {
            List<Long> processes = new ArrayList<>(List.of(server.pid()));
            ProcessHandle.of(server.pid()).orElseThrow().descendants().forEach(each -> processes.add(each.pid()));
            int seen = 0;
            for (long pid : processes) {
                Optional<List<String>> read = statusOf(pid);
                if (read.isEmpty()) {
                    continue;
                }
                seen++;
                List<String> status = read.get();
                String id = "\t" + UNPRIVILEGED;
                assertThat(status)
                        .contains("Uid:" + id.repeat(4), "Gid:" + id.repeat(4), "NoNewPrivs:\t1")
                        .contains("CapEff:\t0000000000000000", "CapPrm:\t0000000000000000")
                        .contains("CapInh:\t0000000000000000", "CapAmb:\t0000000000000000");
                assertThat(status)
                        .filteredOn(line -> line.startsWith("Groups:"))
                        .allMatch(groups -> groups.substring(7).isBlank());
            }
            assertThat(seen).isGreaterThan(3);
        }
    }

    /** Empty for a process that ended after the listing: the server has short-lived ones while it starts. */
    private static Optional<List<String>> statusOf(long pid) throws IOException {
        try {
            return Optional.of(Files.readAllLines(Path.of("/proc/" + pid + "/status")));
        } catch (IOException e) {
            // The file is gone, or the process went between the opening and the reading (ESRCH).
            if (ProcessHandle.of(pid).isPresent()) {
                throw e;
            }
            return Optional.empty();
        }
    }

    @Test
    void program_ofASuperuserOfTheDatabase_writesNoFileOfRoots() throws Exception {
        Path open = Files.createDirectory(closed.resolve("open"));
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (EmbeddedPostgres server = Databases.at(closed.resolve("d")).start()) {
            for (Path target : List.of(
                    open.resolve("probe"),
                    server.directory().resolve("postgres.log"),
                    server.directory().resolve("howdah.properties"),
                    server.directory().resolve("howdah.owner.tmp"))) {
                assertThatThrownBy(() -> program(server, "cat > " + target))
                        .as(target.toString())
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("failed");
            }
            assertThatThrownBy(() -> program(server, "cat > /dev/null; head -c 1 /etc/shadow"))
                    .hasMessageContaining("failed");
            program(server, "cat > by-program");
            assertThat(ownerOf(server.directory().resolve("data/by-program"))).isEqualTo(UNPRIVILEGED);
        }
        assertThat(open).isEmptyDirectory();
    }

    private static void program(EmbeddedPostgres server, String command) throws SQLException {
        Databases.execute(server.port(), "COPY (SELECT 'x') TO PROGRAM '" + command + "'");
    }

    @Test
    void data_startedTwice_isTheServersAndAllElseIsRoots() throws Exception {
        try (EmbeddedPostgres server = Databases.at(closed.resolve("d")).start()) {
            Databases.execute(server.port(), "CREATE TABLE t AS SELECT 7 AS n");
        }
        try (EmbeddedPostgres server = Databases.at(closed.resolve("d")).start()) {
            assertThat(Databases.value(server, "SELECT n FROM t")).isEqualTo("7");
            try (Stream<Path> all = Files.walk(server.directory().resolve("data"))) {
                assertThat(all).allMatch(path -> ownerOf(path) == UNPRIVILEGED);
            }
            try (Stream<Path> beside = Files.list(server.directory())) {
                assertThat(beside.filter(path -> !path.endsWith("data"))).allMatch(path -> ownerOf(path) == 0);
            }
            assertThat(ownerOf(server.directory())).isZero();
        }
    }

    /** Earlier versions ran the server as root in a user namespace: all files are root's. */
    @Test
    void data_ofAnEarlierVersion_isTakenOver() throws Exception {
        Path directory = closed.resolve("d");
        Databases.at(directory).start().close();
        Path label = Files.writeString(directory.resolve("data/by-root"), "");
        Databases.at(directory).start().close();
        assertThat(ownerOf(label)).isEqualTo(UNPRIVILEGED);
        DirectoryTree.chown(directory, 0, 0);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        Files.setPosixFilePermissions(directory.resolve("postgres.log"), PosixFilePermissions.fromString("rw-r--r--"));
        try (EmbeddedPostgres server = Databases.at(directory).start()) {
            assertThat(Databases.value(server, "SELECT 1")).isEqualTo("1");
            assertThat(ownerOf(directory.resolve("data/PG_VERSION"))).isEqualTo(UNPRIVILEGED);
        }
    }

    @Test
    void data_withALinkInPlaceOfAFileOfOurs_changesNothingOutside() throws Exception {
        Path directory = closed.resolve("d");
        Databases.at(directory).start().close();
        Path precious = Files.writeString(closed.resolve("precious"), "root's");
        Files.setPosixFilePermissions(precious, PosixFilePermissions.fromString("rw-------"));
        Path conf = directory.resolve("data/howdah_hba.conf");
        Files.delete(conf);
        Files.createSymbolicLink(conf, precious);
        assertThatThrownBy(() -> Databases.at(directory).start())
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageContaining("howdah_hba.conf");
        assertThat(Files.readString(precious)).isEqualTo("root's");
        assertThat(ownerOf(precious)).isZero();
    }

    @Test
    void directory_thatOthersMayEnter_isNamedByItsPath() throws Exception {
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (EmbeddedPostgres server = Databases.at(closed.resolve("d")).start()) {
            assertThat(Databases.value(server, "SHOW data_directory"))
                    .isEqualTo(server.directory().resolve("data").toString());
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(server.directory())))
                    .isEqualTo("rwx--x---");
        }
    }

    @Test
    void password_required_isReadableByRootOnly() throws Exception {
        try (EmbeddedPostgres server =
                Databases.at(closed.resolve("d")).passwordRequired(true).start()) {
            String password =
                    Files.readString(server.directory().resolve("password")).strip();
            Databases.connect(server.port(), password).close();
            for (String name : List.of("password", "pgpass")) {
                assertThat(ownerOf(server.directory().resolve(name))).isZero();
            }
        }
    }

    private static int ownerOf(Path path) {
        try {
            return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        } catch (java.nio.file.NoSuchFileException e) {
            // The server removed it while the directory was walked.
            return path.toString().toLowerCase(Locale.ROOT).contains("/data/") ? UNPRIVILEGED : 0;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
