package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import dev.howdah.daemon.console.JsonObject;
import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.HttpPlace.Seen;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code howdah sweep --whole-batch}: a program or a request for each batch, with an answer for each row. */
@PostgresTest
@Execution(ExecutionMode.SAME_THREAD) // signals belong to the process
@Tag("long")
class SweepBatchCommandTest {
    /** Answers all lines, as a program would. */
    private static final String ALL_OK = "sed 's/^{\"key\":\\(\\[[^]]*\\]\\).*/{\"key\":\\1,\"ok\":true}/'";

    private static final List<String> COLUMNS = List.of("id", "email", "last_mail_at", "note");

    private final TestDatabase database;
    private final AtomicInteger requests = new AtomicInteger();

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    SweepBatchCommandTest(TestDatabase database) {
        this.database = database;
    }

    private SweepRunner rows(int count) {
        return new SweepRunner(database, home).rows(count);
    }

    private String marked() {
        return String.valueOf(database.value("SELECT COALESCE(string_agg(id::text, ' ' ORDER BY id), '')"
                + " FROM subscription WHERE last_mail_at IS NOT NULL"));
    }

    private List<String> errors() {
        return database.query("SELECT key[1] || ': ' || error FROM howdah.sweep_error ORDER BY key[1]::int").stream()
                .map(row -> String.valueOf(row.get(0)))
                .toList();
    }

    private static String[] whole(String... more) {
        return Stream.concat(
                        Stream.of("--whole-batch", "--workers", "1", "--attempts", "1", "--batch", "10"),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    @Test
    void program_getsALineForEachRow_andAnswersForEach() throws Exception {
        SweepRunner sweep = rows(25);
        database.execute("ALTER TABLE subscription ADD note json;"
                + " UPDATE subscription SET note = E'{\"a\":\\n 1}' WHERE id = 3;"
                + " UPDATE subscription SET email = repeat('é\"\\', 200000) WHERE id = 4");
        String script = sweep.script("echo x >> HERE/calls", "tee -a HERE/lines | " + ALL_OK);
        CommandLineRun run = sweep.run(whole("--exec", script));
        assertThat(run.exitCode()).as(run.err()).isZero();
        List<String> lines = Files.readAllLines(home.resolve("lines"));
        assertThat(lines).hasSize(25);
        for (String each : lines) {
            JsonObject line = JsonObject.of("the line", each, List.of("key", "row"));
            assertThat(Objects.requireNonNull(line.object("row", COLUMNS)).json("id"))
                    .isEqualTo(line.list("key").get(0).text());
        }
        assertThat(Files.readAllLines(home.resolve("calls")))
                .as("one row proves the mark")
                .hasSizeBetween(4, 6);
        assertThat(database.value("SELECT count(*) FROM subscription WHERE last_mail_at IS NULL"))
                .isEqualTo("0");
    }

    @Test // what was in work at the kill is worked on again, and nothing else
    void process_killedInTheMiddleOfBatches_itsBatchesAreDoneAgainAndNoOther() throws Exception {
        SweepRunner sweep = rows(200);
        String script = sweep.script(
                "cat > HERE/in.$$",
                "cat HERE/in.$$ >> HERE/seen",
                "if [ -e HERE/block ] && [ $(wc -l < HERE/seen) -ge 60 ]; then",
                "  cat HERE/in.$$ >> HERE/blocked",
                "  while [ -e HERE/block ]; do sleep 0.05; done",
                "fi",
                ALL_OK + " < HERE/in.$$");
        Files.createFile(home.resolve("block"));
        String[] work = {"--whole-batch", "--workers", "2", "--batch", "10", "--exec", script};
        Path blocked = home.resolve("blocked");
        try (HowdahProcess doomed = sweep.start(work)) {
            await().atMost(Patience.LIMIT)
                    .until(() ->
                            Files.exists(blocked) && Files.readAllLines(blocked).size() == 20);
            doomed.kill();
        }
        List<String> again = Files.readAllLines(blocked);
        Files.delete(home.resolve("block"));
        CommandLineRun run = sweep.run(work);
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains(", 200 in all\n");
        assertThat(database.value("SELECT count(*) FROM subscription WHERE last_mail_at IS NULL"))
                .isEqualTo("0");
        List<String> seen = Files.readAllLines(home.resolve("seen"));
        assertThat(seen).hasSize(220);
        assertThat(seen.stream().distinct()).hasSize(200);
        List<String> twice = seen.stream()
                .filter(each -> Collections.frequency(seen, each) == 2)
                .distinct()
                .toList();
        assertThat(twice).containsExactlyInAnyOrderElementsOf(again);
    }

    @ParameterizedTest // the batch after the first row has those from 2 to 6
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                // short: those that have answered are done, the others have failed
                ALL_OK_HEAD + " | 1 2 3 | 4: the program has not answered for the row",
                // it dies in the middle of a line
                "cat > /dev/null; " + ANSWER_2
                        + " printf '{\"key\":[\"3\"],\"o'; echo broken >&2; kill -9 $$ | 1 2 | 3: exit code 137: broken",
                "cat > /dev/null; " + ANSWER_2 + " exit 4 | 1 2 | 3: exit code 4",
                // it does not end
                "cat > /dev/null; " + ANSWER_2 + " sleep 1000 | 1 2 | 3: the program has not ended within 5 s",
                // no answer, another row, twice, neither of them: all of the batch is doubtful
                "cat > /dev/null; " + ANSWER_2 + " echo '<html>' | 1 | 2: line 2 of the output cannot be read: ",
                "cat > /dev/null; " + ANSWER_2
                        + " echo '{\"key\":[\"77\"],\"ok\":true}' | 1 | 2: line 2 of the output is about the row 77, which is not one of the batch",
                "cat > /dev/null; " + ANSWER_2 + " " + ANSWER_2
                        + " | 1 | 2: line 2 of the output is the second answer to the row 2",
                "cat > /dev/null; echo '{\"key\":[\"2\"],\"ok\":false}' | 1 | 2: line 1 of the output has to have one of \"ok\": true, ",
                "cat > /dev/null; echo '{\"ok\":true}' | 1 | 2: line 1 of the output has no \"key\"",
                "cat > /dev/null; printf '\\377\\n' | 1 | 2: the output is no UTF-8",
                // without end
                "cat > /dev/null; " + ANSWER_2 + " yes '' | 1 | 2: the program has written more than 16 MiB",
                // each row for itself
                "cat > /dev/null; " + ANSWER_2
                        + " for i in 3 4 5 6; do echo \"{\\\"key\\\":[\\\"$i\\\"],\\\"error\\\":\\\"no mailbox $i\\\"}\"; done; exit 1 | 1 2 | 3: no mailbox 3",
            })
    void program_thatAnswersBadly_isAnError_andNoRowIsMarkedFalsely(String script, String marked, String error)
            throws Exception {
        SweepRunner sweep = rows(6);
        CommandLineRun run = sweep.run(whole(
                "--timeout",
                "5",
                "--exec",
                sweep.script(
                        "read -r first", "case $first in", "*'\"id\":1,'*) " + ANSWER_1 + " exit ;;", "esac", script)));
        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(marked()).isEqualTo(marked);
        assertThat(errors().get(0)).startsWith(error);
        assertThat(errors()).hasSize(6 - marked.split(" ", -1).length);
    }

    private static final String ANSWER_1 = "echo '{\"key\":[\"1\"],\"ok\":true}';";
    private static final String ANSWER_2 = "echo '{\"key\":[\"2\"],\"ok\":true}';";
    private static final String ALL_OK_HEAD = "cat > /dev/null; " + ANSWER_2 + " echo '{\"key\":[\"3\"],\"ok\":true}'";

    @Test // exit code 75 is for rows without an answer, "later" for those with it
    void program_thatSaysLater_costsNoRowAnAttempt() throws Exception {
        SweepRunner sweep = rows(6);
        String script = sweep.script(
                "echo x >> HERE/calls",
                "n=$(wc -l < HERE/calls)",
                "[ $n != 2 ] || { cat > /dev/null; " + ANSWER_2 + " exit 75; }",
                "[ $n != 3 ] || { sed 's/^{\"key\":\\(\\[[^]]*\\]\\).*/{\"key\":\\1,\"later\":true,\"retryAfter\":0.2}/'; exit; }",
                ALL_OK);
        CommandLineRun run = sweep.run(whole("--exec", script));
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(marked()).isEqualTo("1 2 3 4 5 6");
        assertThat(errors()).isEmpty();
    }

    private static List<JsonObject> rows(String body) {
        return JsonObject.of("the request", body, List.of("sweep", "rows"))
                .objects("rows", List.of("key", "idempotencyKey", "row"));
    }

    /** Row 13 is refused for good, row 14 has no result where the path says so. */
    private void answer(HttpExchange exchange, Seen request) throws IOException {
        List<JsonObject> asked = rows(request.body());
        int number = requests.incrementAndGet();
        String path = request.path();
        byte[] answer = new byte[0];
        int status = 200;
        if (path.equals("/results")) {
            StringBuilder results = new StringBuilder("{\"results\":[");
            for (JsonObject each : asked) {
                String key = each.list("key").get(0).text();
                if (key.equals("14")) continue;
                results.append(results.charAt(results.length() - 1) == '[' ? "" : ",")
                        .append("{\"key\":[\"" + key + "\"],")
                        .append(key.equals("13") ? "\"error\":\"no mailbox\",\"retry\":false}" : "\"ok\":true}");
            }
            answer = results.append("]}").toString().getBytes(StandardCharsets.UTF_8);
        }
        if (path.equals("/html") && number > 1) answer = "<html>welcome</html>".getBytes(StandardCharsets.UTF_8);
        if (path.equals("/array") && number > 1) answer = "[]".getBytes(StandardCharsets.UTF_8);
        if (path.equals("/busy") && number == 2) {
            exchange.getResponseHeaders().set("Retry-After", "1");
            status = 429;
        }
        if (path.equals("/large") && asked.size() > 3) status = 413;
        if (path.equals("/500") && number > 1) status = 500;
        if (path.equals("/endless") && number > 1) {
            exchange.sendResponseHeaders(200, 0);
            byte[] some = " ".repeat(100_000).getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < 10_000; i++) exchange.getResponseBody().write(some);
            return;
        }
        exchange.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
        if (answer.length > 0) exchange.getResponseBody().write(answer);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "/results | 18 | 13: no mailbox",
                "/none | 20 | ",
                "/busy | 20 | ",
                "/large | 20 | ",
                "/html | 1 | 2: the answer cannot be read: ",
                "/array | 1 | 2: the answer is an object with results, not []",
                "/500 | 1 | 2: ADDRESS/500 answered 500",
                "/endless | 1 | 2: the answer has more than 16 MiB",
            })
    void request_hasTheRows_andItsAnswerTheResults(String path, int done, String error) throws Exception {
        try (HttpPlace place = new HttpPlace(this::answer)) {
            SweepRunner sweep = rows(20);
            CommandLineRun run = sweep.run(whole("--http", place.address() + path));
            assertThat(run.exitCode()).as(run.err()).isEqualTo(error == null ? 0 : 1);
            assertThat(database.value("SELECT count(*) FROM subscription WHERE last_mail_at IS NOT NULL"))
                    .isEqualTo(Integer.toString(done));
            assertThat(errors()).hasSize(20 - done);
            if (error != null) assertThat(errors().get(0)).startsWith(error.replace("ADDRESS", place.address()));
            if (path.equals("/results"))
                assertThat(errors().get(1)).isEqualTo("14: the answer has no result of the row");
            String body = place.seen().element().body();
            assertThat(body).startsWith("{\"sweep\":\"mailing-7\",");
            JsonObject first = rows(body).get(0);
            assertThat(first.text("idempotencyKey")).matches("mailing-7/\\d{8}T\\d{6}\\.\\d{6}Z/1");
            assertThat(Objects.requireNonNull(first.object("row", COLUMNS)).text("email"))
                    .isEqualTo("p1@example.com");
        }
    }

    @Test
    void option_withoutAProgramOrAnAddress_isRefused() {
        CommandLineRun run = rows(1).run("--whole-batch");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).isEqualTo("howdah: --whole-batch without --exec or --http\n");
    }
}
