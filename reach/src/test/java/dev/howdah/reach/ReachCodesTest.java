package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import com.sun.net.httpserver.HttpExchange;
import dev.howdah.Database;
import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The column {@code sqlstate} of tasks that reach out; {@link MailTaskTest} and {@link SshTaskTest} have those of mails and hosts. */
@PostgresTest
class ReachCodesTest {
    private static final String USER = "root".equals(System.getProperty("user.name"))
            ? "\"user\": \"nobody\", \"group\": \"nogroup\""
            : "\"user\": \"same\"";

    private final CountDownLatch end = new CountDownLatch(1);
    private final String closed = "http://127.0.0.1:1";
    private final HttpPlace place = new HttpPlace(this::answer);
    private final TestDatabase database;
    private ReachingTasks tasks;

    @TempDir
    Path directory;

    ReachCodesTest(TestDatabase database) throws IOException {
        this.database = database;
    }

    @BeforeEach
    void serve() throws IOException {
        Path file = directory.resolve("reach.json");
        Files.writeString(file, """
                {"programs": {
                  "bad": {"command": ["/bin/sh", "-c", "exit 3"], %1$s},
                  "later": {"command": ["/bin/sh", "-c", "exit 75"], %1$s},
                  "endless": {"command": ["/usr/bin/yes"], %1$s}}}
                """.formatted(USER));
        ReachSettings settings = ReachSettings.of(
                List.of(
                        place.address(),
                        closed,
                        "http://nowhere.invalid",
                        "http://localhost:1",
                        "exec:bad",
                        "exec:later",
                        "exec:endless",
                        "jdbc:crm"),
                file,
                Map.of());
        tasks = new ReachingTasks(database, settings);
    }

    @AfterEach
    void close() {
        end.countDown();
        tasks.close();
        place.close();
    }

    private void answer(HttpExchange exchange, HttpPlace.Seen request) throws IOException, InterruptedException {
        if (request.path().equals("/slow")) end.await();
        if (request.path().equals("/lost")) {
            exchange.close();
            return;
        }
        int status = Integer.parseInt(request.path().substring(1));
        if (status == 302) exchange.getResponseHeaders().add("Location", "/200");
        byte[] body = status == 200 ? new byte[] {(byte) 0xff} : new byte[0];
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    @Test
    void error_hasTheCodeOfItsKind() {
        Map<String, String> codes = new LinkedHashMap<>();
        codes.put("https://[", "W1001");
        codes.put(place.address() + "/402#metod=PUT", "W1001");
        codes.put("https://app:s3cret@api.example/", "W1002");
        codes.put("https://other.example/", "W1004");
        codes.put(place.address() + "/402#as=bank", "W1005");
        codes.put("howdah:pdf", "W1006");
        codes.put("jdbc:crm", "W1009");
        codes.put("http://localhost:1/", "W1010");
        codes.put("http://nowhere.invalid/", "W2001");
        codes.put(closed, "W2002");
        codes.put(place.address() + "/lost", "W2006");
        codes.put(place.address() + "/503", "W3001");
        codes.put(place.address() + "/402", "W3002");
        codes.put(place.address() + "/302", "W3003");
        codes.put("exec:bad", "W3006");
        codes.put("exec:later", "W3008");
        codes.put(place.address() + "/200", "W4002");
        codes.put("exec:endless", "W4002");
        assertSoftly(softly -> codes.forEach((remote, code) -> {
            long id = tasks.add(remote, "");
            tasks.awaitState(id, "FAIL");
            softly.assertThat(tasks.column("sqlstate", id))
                    .as(() -> remote + ": " + tasks.column("error", id))
                    .isEqualTo(code);
        }));
    }

    @Test
    void errorOfTheRow_hasACode() {
        String remote = place.address() + "/204";
        long once = tasks.add(remote, "", "once", "true");
        tasks.awaitState(once, "FAIL");
        assertThat(tasks.column("sqlstate", once)).isEqualTo("W1007");
        long late = tasks.add(place.address() + "/slow", "", "timeout", "'100 milliseconds'");
        tasks.awaitState(late, "FAIL");
        assertThat(tasks.column("sqlstate", late)).isEqualTo("W4001");
        long done = tasks.add(remote, "");
        tasks.awaitState(done, "DONE");
        assertThat(tasks.column("sqlstate", done)).isEqualTo("null");
        long stopped = tasks.add(place.address() + "/slow", "");
        tasks.awaitState(stopped, "WORK");
        tasks.execute("UPDATE task SET state = 'STOP' WHERE id = " + stopped);
        tasks.awaitState(stopped, "STOP");
    }

    @Test
    void tasksOfACode_areRetriedTogether() {
        long refused = tasks.add(place.address() + "/402", "");
        long unavailable = tasks.add(place.address() + "/503", "");
        tasks.awaitState(refused, "FAIL");
        tasks.awaitState(unavailable, "FAIL");
        TaskTable table = TaskTable.on(Database.of(database.uri()), "public", "task");
        assertThat(table.count(TaskQuery.in(TaskState.FAIL).sqlstate("W3001"))).isEqualTo(1);
        assertThat(table.count(TaskQuery.in(TaskState.FAIL).sqlstate("W3002"))).isEqualTo(1);
    }

    @Test
    void codes_areOfFiveCharactersAndOfOneMeaning() {
        assertThat(Arrays.stream(ReachFailure.Code.values()).map(ReachFailure.Code::sqlstate))
                .doesNotHaveDuplicates()
                .allMatch(each -> each.matches("W[0-9]{4}"));
    }
}
