package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive with a Java of its own, Debian's package, and the image, as packaging builds them from the jar of this build. */
@Tag("long")
class InstallIT {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Map<String, String> JDK = Map.of("JAVA_HOME", System.getProperty("java.home"));

    private static final String DATA_STAY =
            "howdah: /var/lib/howdah is not empty and stays; remove it by hand where its data are not needed";

    private static Path archive = Path.of("");

    @BeforeAll
    static void build(@TempDir Path home) throws Exception {
        assumeTrue(
                Files.exists(Path.of(System.getProperty("java.home"), "bin", "jlink")),
                "this JDK has no jlink, so no archive is built");
        archive = Path.of(run(home, JDK, ROOT.resolve("packaging/archive/build").toString())
                .strip());
    }

    @Test
    void archive_unpacked_runsATaskWithItsOwnJava(@TempDir Path home) throws Exception {
        run(home, Map.of(), "tar", "-C", home.toString(), "-xzf", archive.toString());
        Path top;
        try (Stream<Path> unpacked = Files.list(home).filter(Files::isDirectory)) {
            top = unpacked.findFirst().orElseThrow();
        }
        assertThat(archive.getFileName()).hasToString(top.getFileName() + ".tar.gz");
        assertThat(top.resolve("share/man/man1/howdah-task.1"))
                .content()
                .contains("Add, list, show, cancel, retry and delete");
        assertThat(top.resolve("share/bash-completion/completions/howdah"))
                .content()
                .contains("doctor");

        String howdah = top.resolve("bin/howdah").toString();
        // A JAVA_HOME of the machine is not what the archive was tried with.
        Map<String, String> environment = Map.of("JAVA_HOME", "/nonexistent");
        try (HowdahProcess up =
                HowdahProcess.run(home, environment, List.of(howdah, "up", "--pg-port", "0", "--json"))) {
            assertThat(up.ready()).containsEntry("pid", Long.toString(up.pid()));
            assertThat(ProcessHandle.of(up.pid()).orElseThrow().info().command())
                    .contains(top.resolve("lib/runtime/bin/java").toString());
            assertThat(run(home, environment, howdah, "task", "add", "--wait", "SELECT 6 * 7"))
                    .isEqualTo("42\n");
            up.terminate();
            assertThat(up.exitCode()).isZero();
            assertThat(up.err()).doesNotContain("WARNING").doesNotContain("Exception");
        }
    }

    /** By systemd, where a container may boot it; else what its unit starts. */
    @Test
    void package_onDebian_isInstalledStartedUpgradedRemovedAndPurged(@TempDir Path home) throws Exception {
        assumeTrue(Files.exists(Path.of("/usr/bin/dpkg-deb")), "this is not Debian, so no package is built");
        String deb = run(home, JDK, ROOT.resolve("packaging/debian/build").toString())
                .strip();
        assertThat(run(home, Map.of(), "dpkg-deb", "--field", deb, "Package", "Depends"))
                .contains("Package: howdah", "adduser");
        Path service = ROOT.resolve("packaging/release/try-service");
        try (HowdahProcess systemd = HowdahProcess.run(home, Map.of(), List.of(service.toString(), deb))) {
            int exit = systemd.exitCode();
            if (exit == 3) {
                withoutSystemd(home, deb, systemd.err());
                return;
            }
            assertThat(exit).as(systemd.err()).isZero();
            assertThat(systemd.out().lines())
                    .as(systemd.err())
                    .containsExactly(
                            "installed: disabled, inactive",
                            "/etc/howdah/howdah.properties 640 root:howdah",
                            "/var/lib/howdah 700 howdah:howdah",
                            "started: ready",
                            "a task as howdah",
                            "reloaded",
                            "started again after a crash: 1",
                            "started again after the watchdog",
                            "a task of the second",
                            "restarted by an upgrade, with 1 setting of before",
                            "removed: inactive, inactive, 0 processes",
                            DATA_STAY,
                            "purged");
        }
    }

    private static void withoutSystemd(Path home, String deb, String reason) throws Exception {
        Path script = ROOT.resolve("packaging/release/try-package");
        try (HowdahProcess install = HowdahProcess.run(home, Map.of(), List.of(script.toString(), deb))) {
            int exit = install.exitCode();
            assumeTrue(exit != 3, () -> "nothing is installed: " + reason + install.err());
            assertThat(exit).as(install.err()).isZero();
            assertThat(install.out().lines().skip(1))
                    .as(install.err())
                    .containsExactly(
                            "/etc/howdah/howdah.properties 640 root:howdah",
                            "/var/lib/howdah 700 howdah:howdah",
                            "from a package",
                            "stopped with 0",
                            "1",
                            "removed",
                            DATA_STAY,
                            "purged");
            assertThat(install.out()).startsWith("howdah 0.");
        }
    }

    @Test
    void image_withoutPrivileges_runsATaskAndStopsBySignal(@TempDir Path home) throws Exception {
        assumeTrue(Files.exists(Path.of("/usr/bin/apt-get")), "this is not Debian, so no image is built");
        String image;
        try (HowdahProcess build = HowdahProcess.run(
                home, JDK, List.of(ROOT.resolve("packaging/image/build").toString()))) {
            int exit = build.exitCode();
            assumeTrue(exit != 3, build::err);
            assertThat(exit).as(build.err()).isZero();
            image = build.out().strip();
        }
        Path script = ROOT.resolve("packaging/release/try-image");
        try (HowdahProcess container = HowdahProcess.run(home, Map.of(), List.of(script.toString(), image))) {
            int exit = container.exitCode();
            assumeTrue(exit != 3, () -> "no container is run: " + container.err());
            assertThat(exit).as(container.err()).isZero();
            assertThat(container.out().lines())
                    .containsExactly("42", "65532", "root cannot be written", "healthy", "stopped with 0");
        }
    }

    private static String run(Path home, Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        try (HowdahProcess process = HowdahProcess.run(home, environment, List.of(command))) {
            assertThat(process.exitCode()).as(process.err()).isZero();
            return process.out();
        }
    }
}
