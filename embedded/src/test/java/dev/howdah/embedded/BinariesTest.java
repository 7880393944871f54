package dev.howdah.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BinariesTest {
    @TempDir
    Path temp;

    @Test
    void binaries_damagedOrHalfUnpacked_areUnpackedAnew() throws Exception {
        Path leftover = Files.createDirectories(temp.resolve("pg-18.4.tmp123/bin"));
        Files.createDirectories(temp.resolve("pg-18.4/bin"));
        Path binaries = Binaries.unpacked(temp, PostgresArchive.bundled());
        assertThat(binaries.resolve("bin/postgres")).isExecutable();
        assertThat(leftover).doesNotExist();

        Files.write(binaries.resolve("bin/initdb"), new byte[0]);
        Object before = Files.getAttribute(binaries, "unix:ino");
        Binaries.unpacked(temp, PostgresArchive.bundled());
        assertThat(Files.size(binaries.resolve("bin/initdb"))).isPositive();
        assertThat(Files.getAttribute(binaries, "unix:ino")).isNotEqualTo(before);

        before = Files.getAttribute(binaries, "unix:ino");
        Binaries.unpacked(temp, PostgresArchive.bundled());
        assertThat(Files.getAttribute(binaries, "unix:ino")).isEqualTo(before);
    }

    @Test
    void archive_thatIsNone_failsWithTheDirectoryAndLeavesNothing() throws Exception {
        Path garbage = Files.writeString(temp.resolve("garbage.txz"), "not an archive");
        assertThatThrownBy(() -> EmbeddedPostgres.at(temp.resolve("d"))
                        .archive("18.4", garbage.toUri().toURL())
                        .start())
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageContaining(temp.resolve("d").toRealPath().toString())
                .hasMessageContaining("could not be unpacked");
        assertThat(temp.resolve("d/pg-18.4")).doesNotExist();
    }

    @Test
    void archive_ofAnotherVersionThanSaid_isRefused() {
        assertThatThrownBy(() -> EmbeddedPostgres.at(temp)
                        .archive("18.99", PostgresArchive.bundled().location())
                        .start())
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageContaining("18.99")
                .hasMessageContaining("postgres (PostgreSQL) 18.4");
    }

    @ParameterizedTest
    @CsvSource({
        "Linux, amd64, postgres-linux-x86_64.txz",
        "Linux, aarch64, postgres-linux-arm_64.txz",
        "Mac OS X, aarch64, postgres-darwin-arm_64.txz",
        "Mac OS X, x86_64, postgres-darwin-x86_64.txz",
        "Windows 11, amd64, ",
        "Linux, riscv64, "
    })
    void archive_ofAPlatform_hasItsName(String os, String arch, String name) {
        assertThat(PostgresArchive.resourceName(os, arch)).isEqualTo(name);
    }

    @Test
    void log_reasons_areTheTellingLinesWithoutStamps() {
        assertThat(ServerLog.reason("2026-11-21 23:00:00.000 UTC [12] LOG:  starting\n"
                        + "2026-11-21 23:00:00.001 UTC [12] FATAL:  could not create lock file\n"
                        + "2026-11-21 23:00:00.001 UTC [12] HINT:  Is another running?\n"
                        + "2026-11-21 23:00:00.002 UTC [12] LOG:  database system is shut down\n"))
                .isEqualTo("FATAL: could not create lock file HINT: Is another running?");
    }
}
