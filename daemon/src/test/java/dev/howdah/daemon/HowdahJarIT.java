package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar as it is handed out, with nothing but the launcher beside it. */
class HowdahJarIT {
    private static final Path LAUNCHER = Path.of("..", "howdah");
    private static final Path JAR = Path.of("target", "howdah.jar");

    private final Map<String, String> java = Map.of("HOWDAH_JAVA", System.getProperty("java.home"));

    @Test
    void jar_withNothingButTheLauncher_runsATask(@TempDir Path home) throws Exception {
        Path script = Files.copy(LAUNCHER, home.resolve("howdah"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.copy(JAR, home.resolve("howdah.jar"));
        try (HowdahProcess up =
                HowdahProcess.run(home, java, List.of(script.toString(), "up", "--pg-port", "0", "--json"))) {
            assertThat(up.ready()).containsEntry("pid", Long.toString(up.pid()));
            try (HowdahProcess task = HowdahProcess.run(
                    home, java, List.of(script.toString(), "task", "add", "--wait", "SELECT version()"))) {
                assertThat(task.exitCode()).isZero();
                assertThat(task.out()).startsWith("PostgreSQL 18");
                assertThat(task.err()).isEqualTo("task 1\n");
            }
            up.terminate();
            assertThat(up.exitCode()).isZero();
            // No warning of a new Java about what the program or its libraries do.
            assertThat(up.err()).doesNotContain("WARNING").doesNotContain("Exception");
        }
    }
}
