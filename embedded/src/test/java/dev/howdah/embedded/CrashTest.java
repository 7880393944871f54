package dev.howdah.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CrashTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir
    Path temp;

    @Test
    void jvm_killed_takesItsServerAlongAndLosesNoRow() throws Exception {
        try (Child child = new Child(temp, Databases.BINARIES).ready()) {
            Databases.execute(child.port(), "CREATE TABLE t AS SELECT generate_series(1, 100000) AS n");
            child.kill();
            await().atMost(LIMIT).until(() -> !Databases.alive(child.server()));
        }
        try (EmbeddedPostgres server = Databases.at(temp).start()) {
            assertThat(Databases.value(server, "SELECT count(*) FROM t")).isEqualTo("100000");
        }
    }

    @Test
    void jvm_killed_isFollowedAtOnceByTheNext() throws Exception {
        try (Child child = new Child(temp, Databases.BINARIES).ready()) {
            Databases.execute(child.port(), "CREATE TABLE t AS SELECT generate_series(1, 1000) AS n");
            child.kill();
            try (EmbeddedPostgres server = Databases.at(temp).start()) {
                assertThat(Databases.value(server, "SELECT count(*) FROM t")).isEqualTo("1000");
            }
        }
    }

    @Test
    void directory_heldByAnotherProcess_isRefusedWithThatProcess() throws Exception {
        try (Child child = new Child(temp, Databases.BINARIES).ready()) {
            assertThatThrownBy(() -> Databases.at(temp).start())
                    .isInstanceOf(EmbeddedPostgresException.class)
                    .hasMessageContaining("is in use by process " + child.pid() + " (since ")
                    .hasMessageContaining("PostgreSQL on port " + child.port());
            assertThat(Databases.value(child.port(), "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void orphan_stillRunning_isStoppedBeforeTheStart() throws Exception {
        Databases.at(temp).start().close();
        Postmaster orphan = orphan();
        int port = Integer.parseInt(
                Files.readAllLines(temp.resolve("data/postmaster.pid")).get(3));
        Databases.execute(port, "CREATE TABLE t AS SELECT generate_series(1, 1000) AS n");
        try (EmbeddedPostgres server = Databases.at(temp).start()) {
            assertThat(Databases.alive(orphan.pid())).isFalse();
            assertThat(server.pid()).isNotEqualTo(orphan.pid());
            assertThat(Databases.value(server, "SELECT count(*) FROM t")).isEqualTo("1000");
        }
    }

    @Test
    void pidFile_ofAReusedPid_spareTheStrangerAndStart() throws Exception {
        Process stranger = new ProcessBuilder("sleep", "600").start();
        try {
            try (EmbeddedPostgres server = Databases.at(temp).start()) {
                Path pidFile = temp.resolve("data/postmaster.pid");
                List<String> lines = new ArrayList<>(Files.readAllLines(pidFile));
                ProcessHandle.of(server.pid()).orElseThrow().destroyForcibly();
                await().atMost(LIMIT).until(() -> !Databases.alive(server.pid()));
                lines.set(0, Long.toString(stranger.pid()));
                Files.write(pidFile, lines);
            }
            try (EmbeddedPostgres server = Databases.at(temp).start()) {
                assertThat(Databases.value(server, "SELECT 1")).isEqualTo("1");
                assertThat(stranger.isAlive()).isTrue();
            }
        } finally {
            stranger.destroyForcibly();
        }
    }

    @Test
    void binaries_unpackedByTwoProcessesAtOnce_serveBoth() throws Exception {
        Path binaries = temp.resolve("binaries");
        try (Child one = new Child(temp.resolve("one"), binaries);
                Child two = new Child(temp.resolve("two"), binaries)) {
            assertThat(Databases.value(one.ready().port(), "SELECT 1")).isEqualTo("1");
            assertThat(Databases.value(two.ready().port(), "SELECT 1")).isEqualTo("1");
            try (var files = Files.list(binaries)) {
                assertThat(files.map(file -> file.getFileName().toString()))
                        .containsExactlyInAnyOrder("pg-18.4", "pg-18.4.lock");
            }
            await().atMost(LIMIT).until(() -> Files.exists(temp.resolve("two/howdah.owner")));
        }
    }

    /** A server as it is left by a killed JVM on a system that cannot tie the two together. */
    private Postmaster orphan() throws Exception {
        List<String> words = new ArrayList<>(ServerUser.choose().prefix());
        words.addAll(List.of(
                Databases.BINARIES.resolve("pg-18.4/bin/postgres").toString(),
                "-D",
                temp.toRealPath().resolve("data").toString(),
                "-p",
                Integer.toString(Ports.free()),
                "-k",
                ""));
        Postmaster orphan = Postmaster.spawn(words, temp.resolve("orphan.log"));
        await().atMost(LIMIT).until(() -> {
            PidFile file = PidFile.read(temp.resolve("data"));
            return file != null && file.ready();
        });
        return orphan;
    }
}
