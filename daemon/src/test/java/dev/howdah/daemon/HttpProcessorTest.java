package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import dev.howdah.Database;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.JsonObject;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.daemon.monitoring.Prometheus;
import dev.howdah.daemon.serve.ProcessService;
import dev.howdah.daemon.serve.Services;
import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.HttpPlace.Seen;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.Event;
import dev.howdah.process.ProcessException;
import dev.howdah.process.ProcessState;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.Processes;
import dev.howdah.process.Request;
import dev.howdah.process.query.ProcessQuery;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Namespaces whose processor is an endpoint: what it is told, what it may answer, and what becomes of an answer that is not right. */
@PostgresTest
@Tag("long")
class HttpProcessorTest {
    private static final String SECRET = "a secret of more than sixteen bytes";
    private static final Duration PATIENCE = Patience.LIMIT;

    /** Answers, and what is wrong with each. */
    private static final String NONSENSE = """
            200 {"event": []}                         | unknown key "event" in the answer: did you mean "events"?; there are: events, response,
            200 [1]                                   | the answer is an object with events, response, responseBase64, refuse,
            200 {"events": 1}                         | "events" has to be an array, not 1, in the answer
            200 {"events": [1]}                       | events[0] is an object with id, timestamp, payload, payloadBase64, metadata, not 1
            200 {"events": [{"id": 1}]}               | events[0] needs "payload" or "payloadBase64"
            200 {"events": [{"id": 0, "payload": 1}]} | "id" has to be a whole number from 1 to 999999999999999999, not 0, in events[0]
            200 {"events": [{"id": 1.5, "payload": 1}]} | "id" has to be a whole number
            200 {"events": [{"timestamp": "now", "payload": 1}]} | "timestamp" has to be a time such as "2030-01-31T12:00:00Z", not "now"
            200 {"events": [{"payload": 1, "payloadBase64": "AA=="}]} | "payload" and "payloadBase64" stand side by side
            200 {"responseBase64": "%"}               | "responseBase64" is no base64
            200 {"response": "\\ud800"}               | "response" has half of a character (a lone surrogate)
            200 {"metadata": 1}                       | "metadata" has to be an object, not 1
            200 {"action": "sleep"}                   | "action" has to be "idle", "suspend", "timeout", "remove", or {"timeout": WHEN}
            200 {"action": {"timeout": -1}}           | "timeout" has to be a number from 0 to 10000000000, not -1
            200 {"action": {"timeout": "soon"}}       | "timeout" has to be a time such as "2030-01-31T12:00:00Z", not "soon"
            200 {"action": {"timeout": 1, "remove": 1}} | "action" has to be "idle"
            200 {"action": {"retry": 1}}              | unknown key "retry" in "action"
            200 {"error": "x", "events": []}          | "error" and "events" stand side by side
            200 {"refuse": 1}                         | "refuse" has to be a text, not 1
            200 {} {}                                 | the answer has something behind its end: {}
            200 {"a                                   | the answer cannot be read: Unexpected end-of-input
            200 <html>                                | the answer cannot be read: Unexpected character ('<'
            204                                       | the answer is empty; {} says that nothing changes
            """;

    private final TestDatabase database;
    private final HttpPlace place;
    private final Queue<Seen> seen;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    private final Prometheus figures = new Prometheus();
    private @Nullable ProcessService service;
    private @Nullable Processes client;

    HttpProcessorTest(TestDatabase database) throws IOException {
        this.database = database;
        place = new HttpPlace(this::answer);
        seen = place.seen();
    }

    @AfterEach
    void stop() {
        if (client != null) client.close();
        // Those that hang hear that it is over only now.
        place.close();
        if (service != null) service.close();
    }

    /** What the process's first step is told to answer: a status, a blank and the body; or how it misbehaves. */
    private void answer(HttpExchange exchange, Seen request) throws IOException, InterruptedException {
        if (request.path().equals("/notices")) {
            exchange.sendResponseHeaders(204, -1);
            return;
        }
        JsonNode step = JsonNode.of(request.body());
        String wanted = step.text("task.type").equals("init") ? "200 {}" : step.text("task.args");
        if (wanted.isEmpty()) wanted = "200 {}";
        if (step.text("task.type").equals("timeout")) wanted = step.text("process.auxState");
        if (wanted.equals("hang")) place.over().await();
        if (wanted.startsWith("once ")) {
            long times = seen.stream()
                    .filter(each -> each.body().contains("\"type\":\"timeout\"")
                            && each.body().contains("\"once\""))
                    .count();
            wanted = times == 1 ? wanted.substring(5) : "200 {\"events\": [{\"payload\": " + times + "}]}";
        }
        if (wanted.equals("huge")) {
            exchange.sendResponseHeaders(200, 0);
            byte[] part = " ".repeat(1 << 20).getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < 50; i++) exchange.getResponseBody().write(part);
            return;
        }
        if (wanted.equals("hang up")) {
            exchange.close();
            return;
        }
        if (wanted.startsWith("30")) exchange.getResponseHeaders().set("Location", "http://169.254.169.254/latest");
        byte[] body = wanted.substring(wanted.indexOf(' ') + 1).getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(Integer.parseInt(wanted.substring(0, 3)), body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    /** @param more keys of the namespace "shop", as JSON */
    private Processes serve(String more) throws Exception {
        return serve(place.address() + "/step?key=hidden", more);
    }

    private Processes serve(String url, String more) throws Exception {
        WorkedJobs.secret(home, SECRET);
        return serve(
                "shop",
                Files.writeString(
                        home.resolve("processes.json"),
                        "[{\"namespace\": \"shop\", \"url\": \"" + url + "\", \"secret\": \"secret\"" + more + "}]"));
    }

    private Processes serve(String namespace, Path file) {
        Configuration configuration = WorkedJobs.configuration("processes", file.toString());
        Database address = Database.of(database.uri(), Map.of());
        service = ProcessService.start(
                address, new SessionSource(address), Services.of(configuration).processes(), figures, each -> {});
        Processes asking = client(database);
        client = asking;
        Awaitility.await("the namespace is there").atMost(PATIENCE).until(() -> {
            try {
                asking.list(ProcessQuery.of(namespace).limit(1));
                return true;
            } catch (ProcessException e) {
                return false;
            }
        });
        return asking;
    }

    static Processes client(TestDatabase database) {
        return Processes.on(new SessionSource(Database.of(database.uri(), Map.of())))
                .nodeName("client")
                .start();
    }

    private static String reason(Runnable asked) {
        try {
            asked.run();
            return "nothing";
        } catch (ProcessException e) {
            return e.getMessage();
        }
    }

    @Test
    void request_ofACall_tellsOfTaskAndProcessAndIsSigned() throws Exception {
        Processes client = serve("");
        client.init("shop", "order-42", Map.of("cents", 1000));
        client.call(
                "shop",
                "order-42",
                "200 {\"events\": [{\"payload\": {\"held\": 1.10}, \"metadata\": {\"v\": 1}}], \"auxState\": [7]}");
        client.call(Request.of("shop", "order-42")
                .args("200 {\"action\": \"idle\"}")
                .context(new byte[] {0, 1, (byte) 0xff})
                .key("message 7"));
        Seen last = last();
        assertThat(last.path()).isEqualTo("/step");
        assertThat(masked(last.body()))
                .isEqualTo(
                        "{\"namespace\":\"shop\",\"task\":{\"id\":N,\"type\":\"call\","
                                + "\"args\":\"200 {\\\"action\\\": \\\"idle\\\"}\",\"contextBase64\":\"AAH/\",\"scheduled\":\"TIME\",\"attempt\":1},"
                                + "\"process\":{\"id\":\"order-42\",\"status\":\"running\",\"previousStatus\":\"init\","
                                + "\"statusChanged\":\"TIME\",\"created\":\"TIME\",\"auxState\":[7],\"lastEventId\":1,\"history\":["
                                + "{\"id\":1,\"timestamp\":\"TIME\",\"payload\":{\"held\":1.10},\"metadata\":{\"v\": 1},\"task\":N}]}}");
        String number = last.headers().getFirst("Webhook-Id");
        assertThat(number)
                .matches("\\d+-\\d+-process-\\d+")
                .endsWith("-" + JsonNode.of(last.body()).text("task.id"))
                .isEqualTo(last.headers().getFirst("Idempotency-Key"));
        assertThat(last.headers().getFirst("Howdah-Attempt")).isEqualTo("1");
        assertThat(last.headers().getFirst("Content-Type")).isEqualTo("application/json");
        String time = last.headers().getFirst("Webhook-Timestamp");
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        String signed = Base64.getEncoder()
                .encodeToString(
                        mac.doFinal((number + "." + time + "." + last.body()).getBytes(StandardCharsets.UTF_8)));
        assertThat(last.headers().getFirst("Webhook-Signature")).isEqualTo("v1," + signed);
        assertThat(figures.text(null))
                .contains(
                        "progressor_task_processing_duration_ms_count{prg_namespace=\"shop\",task_type=\"call\"} 2\n");
    }

    @Test
    void intent_eachPartOfIt_isCarriedOut() throws Exception {
        Processes client = serve("");
        client.init("shop", "a", "");
        Instant then = Instant.parse("2030-01-31T12:00:00Z");
        assertThat(client.call(
                                "shop",
                                "a",
                                "200 {\"events\": [{\"id\": 5, \"timestamp\": \"2020-01-01T02:00:00+02:00\", "
                                        + "\"payloadBase64\": \"AAH/\"}, {\"payload\": 12345678901234567890.10}], \"response\": {\"paid\": true}, "
                                        + "\"auxStateBase64\": \"/w==\", \"metadata\": {\"k\": \"v\"}, \"action\": {\"timeout\": \"2030-01-31T12:00:00Z\"}}")
                        .text())
                .isEqualTo("{\"paid\":true}");
        ProcessState state = client.get("shop", "a");
        assertThat(state.history()).extracting(Event::id).containsExactly(5L, 6L);
        assertThat(state.history().get(0).payload().bytes()).containsExactly(0, 1, 0xff);
        assertThat(state.history().get(0).timestamp()).isEqualTo(Instant.parse("2020-01-01T00:00:00Z"));
        assertThat(state.history().get(1).payload().text()).isEqualTo("12345678901234567890.10");
        assertThat(state.auxState().bytes()).containsExactly(0xff);
        assertThat(String.valueOf(
                        state.metadata() == null ? null : state.metadata().text()))
                .isEqualTo("{\"k\": \"v\"}");
        assertThat(state.timer()).isEqualTo(then);
        // Null is as absent: nothing changes, and the answer is "ok".
        assertThat(client.call(
                                "shop",
                                "a",
                                "200 {\"events\": null, \"response\": null, \"auxState\": null, \"metadata\": null, "
                                        + "\"action\": null, \"refuse\": null, \"error\": null}")
                        .text())
                .isEqualTo("\"ok\"");
        assertThat(client.get("shop", "a").timer()).isEqualTo(then);
        assertThat(reason(() -> client.call("shop", "a", "200 {\"refuse\": \"no money\", \"action\": \"suspend\"}")))
                .isEqualTo("no money");
        state = client.get("shop", "a");
        assertThat(state.status()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(state.timer()).isNull();
        client.call(
                "shop",
                "a",
                "200 {\"auxState\": \"200 {\\\"events\\\": [{\\\"payload\\\": 7}]}\", \"action\": {\"timeout\": 0.05}}");
        Awaitility.await("the timer has run")
                .atMost(PATIENCE)
                .until(() -> client.get("shop", "a").lastEventId() == 7);
        client.call("shop", "a", "200 {\"action\": {\"remove\": 3600}}");
        assertThat(client.get("shop", "a").timer()).isAfter(Instant.now().plusSeconds(1800));
        assertThat(client.call("shop", "a", "200 {\"response\": \"gone\", \"action\": \"remove\"}")
                        .as(String.class))
                .isEqualTo("gone");
        assertThat(reason(() -> client.get("shop", "a"))).isEqualTo("process not found");
        assertThat(seen.stream()
                        .map(each -> JsonNode.of(each.body()).text("task.type"))
                        .distinct())
                .containsExactly("init", "call", "timeout");
    }

    @Test // docs/guide/processes-http.md: what an endpoint is told, and all that it may answer
    void guide_itsExamples_areWhatIsToldAndWhatIsUnderstood() throws Exception {
        List<String> blocks = Pattern.compile("(?ms)^```json\\n(.*?)^```$")
                .matcher(Documents.read(Documents.ROOT.resolve("docs/guide/processes-http.md")))
                .results()
                .map(block ->
                        String.valueOf(JsonObject.of("it", "{\"block\": " + block.group(1) + "}", List.of("block"))
                                .json("block")))
                .toList();
        Files.copy(WorkedJobs.secret(home, SECRET), home.resolve("payment.secret"), StandardCopyOption.COPY_ATTRIBUTES);
        Path file = Files.writeString(
                home.resolve("processes.json"), blocks.get(0).replace("http://127.0.0.1:8080", place.address()));
        Processes client = serve("payment", file);
        for (String answer : blocks.subList(2, blocks.size())) {
            client.init("payment", answer, "");
            boolean failing = answer.contains("\"error\"") || answer.contains("\"refuse\"");
            String reason = reason(() -> client.call("payment", answer, "200 " + answer));
            if (failing)
                assertThat(reason).isEqualTo(answer.replaceFirst(".*\"(?:error|refuse)\":\"([^\"]*)\".*", "$1"));
            else assertThat(reason).isEqualTo("nothing");
        }
        assertThat(blocks).hasSize(7);
        client.init("payment", "order-42", "");
        client.call(
                "payment",
                "order-42",
                "200 {\"events\": [{\"payload\": {\"held\": 1000}}], \"auxState\": \"held\","
                        + " \"action\": {\"timeout\": 86400}}");
        client.call("payment", "order-42", Map.of("confirm", true));
        assertThat(masked(last().body())).isEqualTo(masked(blocks.get(1)));
    }

    private Seen last() {
        return seen.stream().reduce((a, b) -> b).orElseThrow();
    }

    /** With words in place of what is another in each run. */
    private static String masked(String told) {
        return told.replaceAll("\"20\\d\\d-[^\"]*Z\"", "\"TIME\"")
                .replaceAll("\"task\":\\{\"id\":\\d+", "\"task\":{\"id\":N")
                .replaceAll("\"task\":\\d+", "\"task\":N")
                .replace("\"previousStatus\":\"running\"", "\"previousStatus\":\"init\"");
    }

    @Test // an endpoint that says that a step has failed, and what the policy makes of that
    void error_ofTheEndpoint_isTheReasonWordForWord() throws Exception {
        Processes client = serve(", \"retries\": {\"first\": 1, \"attempts\": 2, \"never\": [\"card stolen\"]}");
        client.init("shop", "a", "");
        assertThat(reason(() -> client.call("shop", "a", "200 {\"error\": \"no money\"}")))
                .isEqualTo("no money");
        assertThat(client.get("shop", "a").detail()).isEqualTo("no money");
        assertThat(client.repair("shop", "a", "200 {}").text()).isEqualTo("\"ok\"");
        assertThat(timed(client, "a", "200 {\"error\": \"card stolen\"}")).isEqualTo("card stolen");
        assertThat(client.trace("shop", "a").stream().filter(each -> each.retryAttempts() > 0))
                .isEmpty();
        client.init("shop", "b", "");
        assertThat(timed(client, "b", "200 {\"error\": \"later\"}")).isEqualTo("later");
        assertThat(client.trace("shop", "b").stream().filter(each -> each.retryAttempts() == 1))
                .hasSize(1);
    }

    /** Why a timer that is answered so has broken its process. */
    private static String timed(Processes client, String id, String answer) {
        client.call(
                "shop",
                id,
                "200 {\"auxState\": " + Json.line(Map.of("x", answer)).replaceFirst("^\\{\"x\":(.*)\\}$", "$1")
                        + ", \"action\": \"timeout\"}");
        Awaitility.await("the timer has failed")
                .atMost(PATIENCE)
                .until(() -> client.get("shop", id).status() == ProcessStatus.ERROR);
        return String.valueOf(client.get("shop", id).detail());
    }

    @Test // and a worker lives on
    void answer_thatMakesNoSense_breaksTheProcessForGoodAndSaysWhy() throws Exception {
        Processes client = serve(", \"concurrency\": 1, \"retries\": {\"first\": 1, \"attempts\": 3}");
        for (String line : NONSENSE.split("\n", -1)) {
            if (line.isEmpty()) continue;
            String answer = line.substring(0, line.indexOf('|')).stripTrailing();
            String wanted = answer.length() < 4 ? answer + " " : answer;
            client.init("shop", line, "");
            assertThat(reason(() -> client.call("shop", line, wanted)))
                    .startsWith(place.address() + "/step answered what is no intent: ")
                    .contains(line.substring(line.indexOf('|') + 2))
                    .doesNotContain("\n", "hidden");
            assertThat(client.get("shop", line).status()).isEqualTo(ProcessStatus.ERROR);
        }
        client.init("shop", "timer", "");
        assertThat(timed(client, "timer", "200 [1]")).contains("the answer is an object with events, response");
        assertThat(client.trace("shop", "timer").stream().filter(each -> each.retryAttempts() > 0))
                .isEmpty();
        client.init("shop", "well", "");
        assertThat(client.call("shop", "well", "200 {}").text()).isEqualTo("\"ok\"");
    }

    @Test
    void status_otherThan2xx_isFinalOrTriedAgain() throws Exception {
        Processes client = serve(", \"retries\": {\"first\": 1, \"attempts\": 2}");
        for (int status : List.of(400, 404, 422)) {
            client.init("shop", "final " + status, "");
            assertThat(timed(client, "final " + status, status + " no <b>good</b>"))
                    .isEqualTo(place.address() + "/step answered " + status + ": no <b>good</b>");
            assertThat(client.trace("shop", "final " + status).stream().filter(each -> each.retryAttempts() > 0))
                    .isEmpty();
        }
        for (int status : List.of(302, 408, 429, 500, 503)) {
            String id = "again " + status;
            client.init("shop", id, "");
            assertThat(reason(() -> client.call("shop", id, status + " no"))).contains("/step answered " + status);
            assertThat(client.get("shop", id).status()).isEqualTo(ProcessStatus.ERROR);
        }
        client.init("shop", "once", "");
        client.call("shop", "once", "200 {\"auxState\": \"once 503 busy\", \"action\": \"timeout\"}");
        Awaitility.await("the second attempt")
                .atMost(PATIENCE)
                .until(() -> client.get("shop", "once").lastEventId() == 1);
        assertThat(seen.stream()
                        .filter(each -> each.body().contains("\"type\":\"timeout\"")
                                && each.body().contains("once 503"))
                        .map(each -> each.headers().getFirst("Howdah-Attempt")))
                .containsExactly("1", "2");
        assertThat(seen).extracting(Seen::path).doesNotContain("/latest");
    }

    @Test // a worker lives on
    void endpoint_thatHangs_isGivenUpWithAClearReason() throws Exception {
        Processes client = serve(", \"timeout\": 3, \"concurrency\": 1");
        for (String id : List.of("hangs", "well")) client.init("shop", id, "");
        assertThat(reason(() -> client.call("shop", "hangs", "hang")))
                .isEqualTo(place.address() + "/step has not answered within 3 s");
        assertThat(client.get("shop", "hangs").detail()).contains("has not answered within 3 s");
        assertThat(client.call("shop", "well", "200 {\"response\": 1}").text()).isEqualTo("1");
    }

    @Test // notices go to a webhook, what is finished goes after a while, and there are figures
    void namespace_withNoticesAndRetention_tellsAndForgets() throws Exception {
        Processes client = serve(", \"retention\": {\"idle\": 0, \"archive\": true}," + " \"notices\": {\"url\": \""
                + place.address() + "/notices\", \"secret\": \"secret\"}");
        client.init("shop", "a", "");
        Awaitility.await("it was told and is gone")
                .atMost(PATIENCE)
                .until(() -> seen.stream().anyMatch(each -> each.path().equals("/notices"))
                        && reason(() -> client.get("shop", "a")).equals("process not found"));
        assertThat(seen.stream()
                        .filter(each -> each.path().equals("/notices"))
                        .map(each -> JsonNode.of(each.body()).text("type")))
                .contains("process.created");
        assertThat(database.value("SELECT count(*) FROM howdah.process_archive"))
                .isEqualTo("1");
        assertThat(figures.text(null)).contains("howdah_process_steps_total{");
    }

    @Test
    void answer_of50MiB_isRefused() throws Exception {
        Processes client = serve("");
        client.init("shop", "a", "");
        assertThat(reason(() -> client.call("shop", "a", "huge")))
                .isEqualTo(place.address() + "/step answered more than 16 MiB");
        client.repair("shop", "a", "200 {}");
    }

    @Test // as a program in another language that throws
    void endpoint_hangsUp_isSaid() throws Exception {
        Processes client = serve("");
        client.init("shop", "a", "");
        assertThat(reason(() -> client.call("shop", "a", "hang up")))
                .isEqualTo(place.address() + "/step has closed the connection without an answer");
    }

    @Test // as while it is started again: whoever has not heard the question can be asked again
    void endpoint_notThereForAWhile_isWaitedForAndThenGivenUp() throws Exception {
        // Has a port, so that no other program listens there, and does not listen.
        Socket closed = new Socket();
        closed.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        int port = closed.getLocalPort();
        Processes client = serve("http://127.0.0.1:" + port + "/", ", \"timeout\": 5");
        assertThat(reason(() -> client.init("shop", "a", "")))
                .startsWith(
                        "http://127.0.0.1:" + port + "/ cannot be reached: connection refused by 127.0.0.1:" + port);
        CompletableFuture<String> second =
                CompletableFuture.supplyAsync(() -> reason(() -> client.init("shop", "b", "")));
        Awaitility.await("it was asked for")
                .atMost(PATIENCE)
                .until(() -> client.list(ProcessQuery.of("shop").after("a")).size() == 1);
        closed.close();
        try (ServerSocket late = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
                Socket heard = late.accept()) {
            // It says that ten bytes come, sends four, and hangs up.
            OutputStream out = heard.getOutputStream();
            heard.getInputStream().read();
            out.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{\"a\"".getBytes(StandardCharsets.UTF_8));
            out.flush();
            // Not closed: what was not read of the question would reset the connection, and the answer could be lost.
            heard.shutdownOutput();
            assertThat(second.get(30, TimeUnit.SECONDS))
                    .isEqualTo("http://127.0.0.1:" + port + "/ has not finished its answer");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {}                                   | it has to be an array of objects, such as [{"namespace"
            []                                   | it names no namespace
            [{]                                  | it is no JSON: Unexpected close marker ']': expected '}', in line 1
            [ENTRY] 1                            | there is something behind the end of the array
            [1]                                  | entry 1 is an object with namespace, url, secret, timeout, concurrency, retries, history, repeatable, retention, notices, not 1
            [{"url": "http://a.example"}]        | entry 1 needs "namespace", a text, and has none
            [ENTRY, ENTRY]                       | the namespace a stands there twice
            [ENTRY, {"namespace": "b", "url": "ftp://a.example", "secret": "secret"}] | "url" is no address of http or https: ftp://a.example
            [{"namespace": "b", "url": "http://me:hidden@a.example", "secret": "secret"}] | "url" has a user or a password in it
            [{"namespace": "b", "url": "http://a.example", "secret": "nowhere"}] | "secret" in entry 1: cannot read
            [ENTRY+"timout": 1}]                 | unknown key "timout" in entry 1: did you mean "timeout"?
            [ENTRY+"timeout": 0}]                | "timeout" has to be a whole number from 1 to 3600, not 0, in entry 1
            [ENTRY+"concurrency": "2"}]          | "concurrency" has to be a whole number from 1 to 10000, not "2", in entry 1
            [ENTRY+"history": -1}]               | "history" has to be a whole number from 0
            [ENTRY+"repeatable": 1}]             | "repeatable" has to be true or false, not 1, in entry 1
            [ENTRY+"retries": 3}]                | "retries" in entry 1 is an object with attempts, first, factor, longest, never, not 3
            [ENTRY+"retries": {"factor": 0.5}}]  | "factor" has to be a number from 1 to 1000, not 0.5, in "retries" in entry 1
            [ENTRY+"retention": {"archive": true}}] | "retention" needs "idle", the seconds after which a process goes
            [ENTRY+"retention": {"idle": -1}}]   | "idle" has to be a whole number from 0
            [ENTRY+"notices": {"url": "ftp://a.example", "secret": "secret"}}] | "url" is no address of http or https: ftp://a.example
            [ENTRY+"notices": {"url": "http://a.example", "secret": "nowhere"}}] | "secret" of "notices" in entry 1: cannot read
            [ENTRY+"retries": {"never": [1]}}]   | "never" has texts, not 1
            """)
    void file_wrong_isRefusedInOneLine(String text, String error) throws Exception {
        WorkedJobs.secret(home, SECRET);
        String entry = "{\"namespace\": \"a\", \"url\": \"http://a.example/\", \"secret\": \"secret\"}";
        String real = text.replace("ENTRY+", entry.replace("}", ", ")).replace("ENTRY", entry);
        Path file = Files.writeString(home.resolve("processes.json"), real);
        Configuration configuration = WorkedJobs.configuration("processes", file.toString());
        assertThatThrownBy(() -> Services.of(configuration))
                .isInstanceOf(CliException.class)
                .hasMessageStartingWith("--processes: " + file + ": ")
                .hasMessageContaining(error)
                .message()
                .doesNotContain(SECRET, "hidden", "\n");
    }

    @Test
    void file_notThereOrWithTheSecretOfJobs_isRefused() throws Exception {
        Path secret = WorkedJobs.secret(home, SECRET);
        Configuration nowhere = WorkedJobs.configuration("processes", "/nowhere/processes.json");
        assertThatThrownBy(() -> Services.of(nowhere))
                .hasMessage("--processes: cannot read /nowhere/processes.json: there is no such file");
        Path file = Files.writeString(
                home.resolve("processes.json"),
                "[{\"namespace\": \"a\", \"url\": \"https://a.example/\", \"secret\": \"secret\"}]");
        Configuration both = WorkedJobs.configuration(
                "processes",
                file.toString(),
                "queues",
                "q",
                "http-allow",
                "https://a.example",
                "http-secret",
                secret.toString());
        assertThatThrownBy(() -> Services.of(both))
                .hasMessageContaining(
                        "the namespace a has the secret of --http-secret, and --http-allow lets jobs go there");
    }
}
