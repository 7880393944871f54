package dev.howdah.daemon.monitoring;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.fixtures.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports to a socket as systemd has it, by the real systemd-notify. */
class ServiceManagerTest {
    /** Each message is sent by a program of its own. */
    private static final Duration PATIENCE = Patience.LIMIT;

    private static final String LISTENER = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            s.bind(sys.argv[1])
            while True:
                print(s.recv(4096).decode(), flush=True)
            """;

    @Test
    void reports_startingReadyStopping_areWhatSystemdHears(@TempDir Path directory) throws Exception {
        assumeTrue(has("systemd-notify") && has("python3"), "there is no systemd-notify or no python3 here");
        Path socket = directory.resolve("notify");
        Path heard = directory.resolve("heard");
        Process listener = new ProcessBuilder("python3", "-c", LISTENER, socket.toString())
                .redirectOutput(heard.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            await().atMost(PATIENCE).until(() -> Files.exists(socket));
            Readiness readiness = new Readiness();
            ServiceManager manager = requireNonNull(ServiceManager.start(
                    Map.of("NOTIFY_SOCKET", socket.toString(), "WATCHDOG_USEC", "400000"),
                    readiness::startObstacle,
                    readiness));
            hears(heard, "STATUS=starting", "WATCHDOG=1");
            assertThat(lines(heard)).doesNotContain("READY=1");
            // It has come up, although it does not work all that it is to: systemd is not to start it again.
            readiness.alsoFollow(() -> "jobs of [mail] do not run now: permission denied");
            readiness.follow(() -> null);
            hears(heard, "READY=1", "STATUS=jobs of [mail] do not run now: permission denied");
            readiness.alsoFollow(() -> null);
            hears(heard, "STATUS=ready");
            await().atMost(PATIENCE)
                    .until(() ->
                            lines(heard).stream().filter("WATCHDOG=1"::equals).count() >= 3);
            readiness.follow(() -> "public.task: the database cannot be reached\nand more");
            hears(heard, "STATUS=public.task: the database cannot be reached");
            manager.close();
            hears(heard, "STOPPING=1");
            assertThat(lines(heard)).containsOnlyOnce("READY=1");
        } finally {
            listener.destroy();
        }
    }

    @Test
    void start_withoutSystemd_reportsNothing() {
        assertThat(ServiceManager.start(Map.of(), () -> null, () -> null)).isNull();
    }

    private static void hears(Path file, String... messages) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(lines(file)).contains(messages));
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.readAllLines(file);
    }

    private static boolean has(String program) throws Exception {
        Process found = new ProcessBuilder("sh", "-c", "command -v " + program)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return found.waitFor() == 0;
    }
}
