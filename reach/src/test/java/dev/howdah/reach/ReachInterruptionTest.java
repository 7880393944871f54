package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks that are in the middle of a run when the scheduler stops or loses its session, or when their row is deleted. */
@PostgresTest
@Tag("long")
class ReachInterruptionTest {
    private static final String USER = System.getProperty("user.name").equals("root")
            ? "\"user\": \"nobody\", \"group\": \"nogroup\""
            : "\"user\": \"same\"";

    /** So that what another run has left is not taken for what this one has. */
    private static final String SECONDS =
            Long.toString(200_000 + ProcessHandle.current().pid());

    private final TestDatabase database;
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Queue<Socket> open = new ConcurrentLinkedQueue<>();
    private final Queue<String> keys = new ConcurrentLinkedQueue<>();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private ReachingTasks tasks;

    @TempDir
    Path directory;

    ReachInterruptionTest(TestDatabase database) throws IOException {
        this.database = database;
    }

    @BeforeEach
    void serve() throws IOException {
        new Thread(this::accept).start();
        Path file = Files.writeString(directory.resolve("reach.json"), """
                {"senders": ["a@example.com"], "limits": {"http://127.0.0.1:*/one": {"concurrency": 1}},
                  "programs": {"sleep": {"command": ["/bin/sleep", "%s"], %s}}}
                """.formatted(SECONDS, USER));
        List<String> places = List.of("http://127.0.0.1:*", "smtp://127.0.0.1:*", "exec:sleep");
        tasks = new ReachingTasks(database, ReachSettings.of(places, file, Map.of()));
    }

    @AfterEach
    void close() throws IOException {
        tasks.close();
        server.close();
        for (Socket each : open) each.close();
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Patience.LIMIT);
    }

    /** Nothing is ever answered. */
    private void accept() {
        while (!server.isClosed())
            try {
                Socket socket = server.accept();
                open.add(socket);
                begun.incrementAndGet();
                new Thread(() -> listen(socket)).start();
            } catch (IOException e) {
                // The test is over.
            }
    }

    private void listen(Socket socket) {
        try {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine())
                if (line.startsWith("idempotency-key: ")) keys.add(line);
        } catch (IOException e) {
            // It has been reset.
        }
        ended.incrementAndGet();
    }

    private static boolean programRuns() {
        return ProcessHandle.allProcesses()
                .anyMatch(each -> each.info().commandLine().orElse("").endsWith("/bin/sleep " + SECONDS));
    }

    private String at(String path) {
        return "127.0.0.1:" + server.getLocalPort() + path;
    }

    /** One of each kind, all in the middle of their run. */
    private List<Long> begin() {
        List<Long> all = List.of(
                tasks.add("http://" + at("/"), "x", "\"group\"", "'a'"),
                tasks.add(
                        "smtp://" + at("?tls=none"),
                        "{\"from\": \"a@example.com\", \"to\": \"b@example.com\", \"text\": \"t\"}",
                        "\"group\"",
                        "'b'"),
                tasks.add("exec:sleep", "", "\"group\"", "'c'"));
        await().untilAsserted(() -> assertThat(begun.get() + " " + keys.size() + " " + programRuns())
                .as(() -> all.stream()
                        .map(each -> tasks.column("error", each))
                        .toList()
                        .toString())
                .isEqualTo("2 1 true"));
        return all;
    }

    @Test
    void sessionThatIsLost_endsWhatRuns_whichRunsAgainWithTheSameKey() {
        List<Long> all = begin();
        List<Long> programs = pids();
        database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                + " AND pid <> pg_backend_pid()");
        await().untilAsserted(() -> assertThat(ended).hasValue(2));
        await().untilAsserted(() -> assertThat(begun).hasValue(4));
        await().untilAsserted(() -> assertThat(keys).hasSize(2));
        await().untilAsserted(() -> assertThat(pids()).hasSize(1).doesNotContainAnyElementsOf(programs));
        assertThat(keys.stream().distinct()).hasSize(1);
        for (long each : all) tasks.awaitState(each, "WORK");
    }

    private static List<Long> pids() {
        return ProcessHandle.allProcesses()
                .filter(each -> each.info().commandLine().orElse("").endsWith("/bin/sleep " + SECONDS))
                .map(ProcessHandle::pid)
                .toList();
    }

    @Test
    void schedulerThatStops_endsWhatRuns_andPutsItBack() {
        List<Long> all = begin();
        tasks.close();
        await().untilAsserted(() -> assertThat(ended).hasValue(2));
        await().until(() -> !programRuns());
        for (long each : all)
            assertThat(tasks.column("concat(state, start, stop, error, output)", each))
                    .isEqualTo("PLAN");
    }

    @Test
    void rowThatIsDeleted_runsToItsEnd_andLeavesItsPlaceToTheNext() throws IOException {
        long first = tasks.add("http://" + at("/one"), "x", "\"group\"", "'a'");
        await().until(() -> keys.size() == 1);
        long second = tasks.add("http://" + at("/one"), "y", "\"group\"", "'b'");
        tasks.execute("DELETE FROM task WHERE id = " + first);
        open.remove()
                .getOutputStream()
                .write("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        await().until(() -> keys.size() == 2);
        tasks.awaitState(second, "WORK");
        open.remove()
                .getOutputStream()
                .write("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        tasks.awaitState(second, "DONE");
        assertThat(database.value("SELECT count(*) FROM task")).isEqualTo("1");
    }
}
