package dev.howdah.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerUserTest {
    @TempDir
    Path temp;

    /** The ways there are for who runs the test: root has two and may go from one to the other. */
    private static List<ServerUser> ways() {
        return ServerUser.root()
                ? List.of(ServerUser.namespace(), ServerUser.unprivileged(), ServerUser.namespace())
                : List.of(ServerUser.choose(), ServerUser.choose());
    }

    @Test
    void server_startedInEveryWayInTurn_keepsItsData() throws Exception {
        Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
        int expected = 0;
        for (ServerUser user : ways()) {
            try (EmbeddedPostgres server = EmbeddedPostgres.at(temp.resolve("d"))
                    .user(user)
                    .passwordRequired(expected == 1)
                    .start()) {
                String password = expected == 1
                        ? Files.readString(temp.resolve("d/password")).strip()
                        : "";
                try (var connection = Databases.connect(server.port(), password);
                        var statement = connection.createStatement()) {
                    statement.execute("CREATE TABLE IF NOT EXISTS t (n int)");
                    statement.execute("INSERT INTO t VALUES (1)");
                    var rows = statement.executeQuery("SELECT count(*) FROM t");
                    rows.next();
                    expected++;
                    assertThat(rows.getInt(1)).isEqualTo(expected);
                }
                if (user.uid() >= 0) {
                    assertThat(Files.getAttribute(temp.resolve("d/data/PG_VERSION"), "unix:uid"))
                            .isEqualTo(user.uid());
                }
            }
        }
    }

    @Test
    void user_thatMayNotEnter_failsNamingTheDirectory() throws Exception {
        ServerUser user = ServerUser.root() ? ServerUser.unprivileged() : new ServerUser(List.of("false"), -1, -1);
        Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwx------"));
        assertThatThrownBy(() -> user.mustReach(Files.createDirectory(temp.resolve("d")), "--data"))
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageContaining("may not enter " + (ServerUser.root() ? temp : "/"))
                .hasMessageContaining("--data");
    }
}
