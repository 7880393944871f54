package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks that are requests, from the row to the row, with a server of the JDK. */
@PostgresTest
class HttpTaskTest {
    private static final String TOKEN = "s3cr3t-\"tok&en\"/+";

    private final HttpPlace place = new HttpPlace(HttpTaskTest::answer);
    private final TestDatabase database;
    private ReachingTasks tasks;

    @TempDir
    Path directory;

    HttpTaskTest(TestDatabase database) throws IOException {
        this.database = database;
        tasks = new ReachingTasks(database, place.address());
    }

    @AfterEach
    void close() {
        tasks.close();
        place.close();
    }

    private static void answer(HttpExchange exchange, HttpPlace.Seen request) throws IOException, InterruptedException {
        switch (request.path()) {
            case "/echo" -> {
                exchange.getResponseHeaders().add("X-Seen", "yes");
                exchange.getResponseHeaders().add("Set-Cookie", "session=1");
                say(exchange, 201, exchange.getRequestMethod() + " " + request.body());
            }
            case "/secret" ->
                say(exchange, 200, String.valueOf(request.headers().getFirst("Authorization")));
            case "/secret/url" -> say(exchange, 200, URLEncoder.encode(TOKEN, StandardCharsets.UTF_8));
            case "/secret/json" -> say(exchange, 200, TOKEN.replace("\"", "\\\""));
            case "/secret/html" ->
                say(exchange, 200, TOKEN.replace("&", "&amp;").replace("\"", "&quot;"));
            case "/secret/base64" -> say(exchange, 200, base64(TOKEN));
            case "/secret/bytes" -> say(exchange, 200, "\0" + TOKEN);
            case "/busy" -> {
                exchange.getResponseHeaders().add("Retry-After", "7200");
                say(exchange, 503, "later");
            }
            case "/no" -> say(exchange, 402, "no\nmoney");
            case "/away" -> {
                exchange.getResponseHeaders().add("Location", "http://169.254.169.254/secrets?x=1");
                say(exchange, 302, "");
            }
            case "/bytes" -> {
                exchange.sendResponseHeaders(200, 2);
                exchange.getResponseBody().write(new byte[] {(byte) 0xff, 0});
            }
            case "/endless" -> {
                exchange.sendResponseHeaders(200, 0);
                byte[] some = "x".repeat(65_536).getBytes(StandardCharsets.US_ASCII);
                try (OutputStream body = exchange.getResponseBody()) {
                    while (true) body.write(some);
                }
            }
            default -> Thread.sleep(Duration.ofMinutes(5).toMillis()); // until the server is closed
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void say(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private String at(String rest) {
        return place.address() + rest;
    }

    @Test
    void remote_ofASchemeThatThereIsNot_failsWithThoseThatThereAre() {
        for (String remote : List.of("ftp://files.example/day.csv", "htps://api.example/a=b", "mailto:ann@example.com"))
            assertThat(tasks.error(remote, "x"))
                    .as(remote)
                    .startsWith("ERROR:  could not connect\n")
                    .endsWith(
                            "HINT:  remote begins with https:, http:, smtp:, smtps:, ssh:, sftp:, jdbc:, exec: or howdah:,"
                                    + " or it is the address of a PostgreSQL.");
        for (Map.Entry<String, String> each : Map.of(
                        "smtp://mail.example", "--allow 'smtp://mail.example=postgres'",
                        "jdbc:crm", "--allow 'jdbc:crm=postgres'",
                        "exec:backup", "--allow 'exec:backup=postgres'")
                .entrySet())
            assertThat(tasks.error(each.getKey(), "x")).as(each.getKey()).endsWith(each.getValue());
        try (ReachingTasks named = new ReachingTasks(database, "jdbc:crm", "exec:backup")) {
            tasks.close();
            assertThat(named.error("jdbc:crm", "SELECT 1"))
                    .endsWith("file of --reach: \"databases\": {\"crm\": {\"url\": \"jdbc:...\"}}");
            assertThat(named.error("exec:backup", ""))
                    .endsWith("file of --reach: \"programs\": {\"backup\": {\"command\": [\"/PATH\"], \"user\":"
                            + " \"USER\"}}");
        }
    }

    @Test
    void request_ofBodyAndOfWhole_isSentAndItsAnswerIsOutput() {
        assertThat(tasks.output(at("/echo"), "{\"a\": \"я\"}")).isEqualTo("POST {\"a\": \"я\"}");
        assertThat(place.seen().peek().headers().getFirst("Content-Type")).isEqualTo("application/json");
        assertThat(tasks.output(at("/echo"), "")).isEqualTo("GET ");
        assertThat(tasks.output(at("/echo#method=PUT&type=text/csv"), "a,b")).isEqualTo("PUT a,b");
        String whole = "PATCH /echo?x=1\r\nX-Shop: 7\r\nIdempotency-Key: mine\r\n\r\nbody\n";
        assertThat(tasks.output(at("#input=request"), whole)).isEqualTo("PATCH body\n");
        HttpPlace.Seen last = place.seen().stream().reduce((a, b) -> b).orElseThrow();
        assertThat(last.headers().getFirst("X-Shop")).isEqualTo("7");
        assertThat(last.headers().getFirst("Idempotency-Key")).isEqualTo("mine");
        assertThat(last.headers().getFirst("Accept-Encoding")).isEqualTo("identity");
        assertThat(last.headers().getFirst("User-Agent")).isEqualTo("Howdah");
        assertThat(last.headers().getFirst("howdah-attempt")).isEqualTo("1");
        assertThat(last.headers()).doesNotContainKeys("Expect", "Te", "Trailer", "Cookie", "Upgrade");
    }

    @Test
    void path_ofAWholeRequest_isTheOneThatIsAllowed() {
        tasks.reach.settings(ReachSettings.of(List.of(place.address() + "/echo", place.address() + "/v1/*")));
        assertThat(tasks.output(at("#input=request"), "GET /echo?x=1\n\n")).isEqualTo("GET ");
        for (String each : List.of("/admin", "/v1/../admin", "/v1", "//v1/x", "/v1/%2e%2e/admin"))
            for (String remote : List.of(at("/v1/x#input=request"), at("#input=request")))
                assertThat(tasks.error(remote, "\n\nGET " + each + "?x=1 HTTP/1.1\n\n"))
                        .as(each)
                        .startsWith("ERROR:  role \"postgres\" may not reach " + place.address() + each);
        assertThat(place.seen()).hasSize(1);
    }

    @Test
    void answer_asJson_hasStatusAndHeadersForSql() {
        tasks.output(at("/echo#answer=json"), "x");
        assertThat(database.value(
                        "SELECT concat_ws(' ', output::jsonb ->> 'status', output::jsonb #>> '{headers,x-seen,0}',"
                                + " output::jsonb #>> '{headers,set-cookie,0}', output::jsonb ->> 'body') FROM task"))
                .isEqualTo("201 yes *** POST x");
        assertThat(tasks.output(at("/bytes#answer=json"), "")).contains("\"body_base64\":\"/wA=\"");
    }

    @Test
    void status_thatMayPass_isTriedAgainAfterTheTimeAskedFor() {
        long id = tasks.add(at("/busy"), "x", "attempts, backoff", "3, '1 second'");
        tasks.awaitState(id, "FAIL");
        assertThat(tasks.column("error", id)).isEqualTo("ERROR:  " + at("/busy") + " answered 503\nDETAIL:  later");
        String next = "(SELECT retry FROM task WHERE id = " + id + ")";
        assertThat(database.value(
                        "SELECT state || ' ' || (plan > now() + interval '110 min') FROM task WHERE id = " + next))
                .isEqualTo("PLAN true");
        database.execute("UPDATE task SET plan = now() WHERE id = " + next);
        await().atMost(Patience.LIMIT).until(() -> place.seen().size() == 2);
        Set<String> keys = place.seen().stream()
                .map(each -> each.headers().getFirst("Idempotency-Key"))
                .collect(Collectors.toSet());
        assertThat(keys).hasSize(1).allMatch(key -> key.matches("howdah-" + id + "-[0-9a-f]{24}"));
        assertThat(place.seen().stream().map(each -> each.headers().getFirst("howdah-attempt")))
                .containsExactly("1", "2");
    }

    @Test
    void status_thatStays_isNotTriedAgain() {
        long id = tasks.add(at("/no"), "x", "attempts", "3");
        tasks.awaitState(id, "FAIL");
        assertThat(tasks.column("error", id)).isEqualTo("ERROR:  " + at("/no") + " answered 402\nDETAIL:  no money");
        assertThat(tasks.column("retry", id)).isEqualTo("null");
        assertThat(tasks.error(at("/away?token2=s3cret"), ""))
                .contains("answered 302")
                .contains("It is to go to http://169.254.169.254/secrets; redirects are not followed.");
        assertThat(tasks.output(at("/no#ok=2xx,402"), "x")).isEqualTo("no\nmoney");
    }

    @Test
    void answer_thatIsEndlessOrNoText_isRefused() {
        assertThat(tasks.error(at("/endless"), ""))
                .isEqualTo("ERROR:  " + at("/endless") + " answered more than 1024 KiB\nHINT:  With the option"
                        + " answer=document it becomes a document, up to 16384 KiB.");
        assertThat(tasks.error(at("/bytes"), "")).contains("answered with bytes that are no text\nHINT:");
    }

    @Test
    void silence_endsWithTheTimeoutOrWithStop() {
        long late = tasks.add(at("/silent"), "x", "timeout", "'300 ms'");
        long stopped = tasks.add(at("/silent"), "x", "\"group\"", "'other'");
        tasks.awaitState(late, "FAIL");
        assertThat(tasks.column("error", late))
                .isEqualTo("ERROR:  " + at("/silent")
                        + " was not done within 300 ms\nDETAIL:  It may have been carried out.");
        tasks.awaitState(stopped, "WORK");
        assertThat(tasks.column("pid", stopped)).isEqualTo("null");
        tasks.execute("UPDATE task SET state = 'STOP' WHERE id = " + stopped);
        await().atMost(Patience.LIMIT)
                .until(() -> !tasks.column("stop", stopped).equals("null"));
        assertThat(tasks.column("state", stopped)).isEqualTo("STOP");
        assertThat(tasks.column("error", stopped)).contains("It may have been carried out.");
    }

    @Test
    void scheduler_thatStops_putsRunningRequestsBack() {
        long id = tasks.add(at("/silent"), "x");
        await().atMost(Patience.LIMIT).until(() -> !place.seen().isEmpty());
        tasks.close();
        assertThat(tasks.column("state", id)).isEqualTo("PLAN");
    }

    @Test
    void place_thatIsNotAllowed_isRefusedWithTheLineToAdd() {
        assertThat(tasks.error("https://api.example/v1?x=1", ""))
                .isEqualTo(
                        "ERROR:  role \"postgres\" may not reach https://api.example/v1\n"
                                + "HINT:  The administrator of the program can allow it: --allow 'https://api.example=postgres'");
        database.execute("CREATE ROLE app_" + database.name());
        tasks.reach.settings(ReachSettings.of(List.of(place.address() + "=app_" + database.name())));
        assertThat(tasks.error(at("/echo"), "")).contains("role \"postgres\" may not reach");
        tasks.reach.settings(ReachSettings.of(List.of(place.address() + "=postgres")));
        assertThat(tasks.output(at("/echo"), "")).isEqualTo("GET ");
        tasks.close();
        database.execute("DROP OWNED BY app_" + database.name() + "; DROP ROLE app_" + database.name());
    }

    @Test
    void name_withAPrivateAddress_isRefusedUnlessItIsMeant() throws IOException {
        String named = at("/echo").replace("127.0.0.1", "localhost");
        List<String> places = List.of(named.replace("/echo", ""));
        tasks.reach.settings(ReachSettings.of(places));
        assertThat(tasks.error(named, "")).contains("may not be reached: the address of localhost is a private one");
        Path file = directory.resolve("reach.json");
        Files.writeString(file, "{\"private\": [\"" + places.get(0) + "\"]}");
        tasks.reach.settings(ReachSettings.of(places, file, Map.of()));
        assertThat(tasks.output(named, "")).isEqualTo("GET ");
    }

    @Test
    void credential_ofAFile_isSentAndNeverShown() throws IOException {
        Path token = directory.resolve("token");
        Files.writeString(token, TOKEN + "\n", StandardCharsets.UTF_8);
        Path file = directory.resolve("reach.json");
        Files.writeString(file, """
                {"credentials": {"shop": {"kind": "bearer", "file": "token", "for": "%s=postgres"}}}
                """.formatted(place.address()));
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw----r--"));
        List<String> places = List.of(place.address());
        assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> ReachSettings.of(places, file, Map.of())))
                .hasMessageContaining("can be read or changed by other users: chmod 600 " + token);
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        tasks.reach.settings(ReachSettings.of(places, file, Map.of()));
        assertThat(tasks.output(at("/secret#as=shop"), "")).isEqualTo("Bearer ***");
        for (String each : List.of("url", "json", "html", "base64"))
            assertThat(tasks.output(at("/secret/" + each + "#as=shop"), ""))
                    .as(each)
                    .isEqualTo("***");
        assertThat(tasks.output(at("/secret/bytes#as=shop&answer=json"), ""))
                .endsWith("\"body_base64\":\"" + base64("\0***") + "\"}");
        assertThat(place.seen().peek().headers().getFirst("Authorization")).isEqualTo("Bearer " + TOKEN);
        assertThat(tasks.output(at("/secret"), "")).isEqualTo("null");
        assertThat(tasks.error(at("/secret#as=bank"), ""))
                .contains("there is no credential \"bank\" for role \"postgres\"");
    }

    @Test
    void credential_isNotSentOverHttp_unlessThePlaceIsPrivate() throws IOException {
        Files.writeString(directory.resolve("token"), TOKEN);
        Files.setPosixFilePermissions(directory.resolve("token"), PosixFilePermissions.fromString("rw-------"));
        String named = place.address().replace("127.0.0.1", "localhost");
        Path file = directory.resolve("reach.json");
        String credentials = "{\"credentials\": {\"shop\": {\"kind\": \"bearer\", \"file\": \"token\", \"for\": \""
                + named + "\"}}, \"private\": [%s]}";
        Files.writeString(file, credentials.formatted(""));
        tasks.reach.settings(ReachSettings.of(List.of(named), file, Map.of()));
        assertThat(tasks.error(named + "/secret#as=shop", ""))
                .startsWith("ERROR:  a credential is not sent over http: it would be seen on its way\nHINT:");
        assertThat(place.seen()).isEmpty();
        Files.writeString(file, credentials.formatted("\"" + named + "\""));
        tasks.reach.settings(ReachSettings.of(List.of(named), file, Map.of()));
        assertThat(tasks.output(named + "/secret#as=shop", "")).isEqualTo("Bearer ***");
    }

    @Test
    void secret_thatTheServiceManagerHasLoaded_comesBeforeTheOneBesideTheFile() throws IOException {
        Path loaded = Files.createDirectory(directory.resolve("loaded"));
        Files.writeString(loaded.resolve("token"), "of-the-service");
        Files.writeString(directory.resolve("token"), "of-the-file");
        for (Path each : List.of(loaded, directory))
            Files.setPosixFilePermissions(each.resolve("token"), PosixFilePermissions.fromString("r--------"));
        Path file = directory.resolve("reach.json");
        Files.writeString(file, """
                {"credentials": {"shop": {"kind": "bearer", "file": "token", "for": "%s"}}}
                """.formatted(place.address()));
        Map<String, String> environment = Map.of("CREDENTIALS_DIRECTORY", loaded.toString());
        tasks.reach.settings(ReachSettings.of(List.of(place.address()), file, environment));
        tasks.output(at("/echo#as=shop"), "");
        Files.delete(loaded.resolve("token"));
        tasks.reach.settings(ReachSettings.of(List.of(place.address()), file, environment));
        tasks.output(at("/echo#as=shop"), "");
        assertThat(place.seen().stream().map(each -> each.headers().getFirst("Authorization")))
                .containsExactly("Bearer of-the-service", "Bearer of-the-file");
    }

    @Test
    void row_withACredentialOrNoSense_isRefusedWithoutItsValue() {
        assertThat(tasks.error("https://app:s3cret@api.example/", ""))
                .isEqualTo(
                        "ERROR:  remote must not contain a credential: a user or password stands before the @\n"
                                + "HINT:  Give it a name under \"credentials\" in the file of --reach, and write #as=NAME here.");
        for (String each : List.of("https://api.example/?api_key=s3cret", "https://api.example/#password=s3cret"))
            assertThat(tasks.error(each, ""))
                    .contains("must not contain a credential")
                    .doesNotContain("s3cret");
        assertThat(tasks.error(at("#input=request"), "GET /echo\nAuthorization: Basic s3cret\n\n"))
                .contains("the header authorization")
                .doesNotContain("s3cret");
        assertThat(tasks.error(at("#input=request"), "GET http://evil.example/\n\n"))
                .contains("no host before it");
        assertThat(tasks.error(at("/echo#metod=PUT"), "")).contains("there is no option metod, but answer, as,");
        assertThat(tasks.error("https://0x7f000001/", "")).contains("is no name of a host");
    }

    @Test
    void row_thatWouldAddHeaders_isRefused() {
        for (String each : List.of(
                "#method=GET%0d%0aX-Evil:1",
                "#method=GET%20/%20HTTP/1.1%0d%0aHost:%20x",
                "#type=text/plain%0d%0aX-Evil:%201",
                "#type=text/plain%0aX-Evil:%201",
                "#type=%00",
                "#key=a%0d%0aX-Evil:1",
                "#key=%c2%85x",
                "#ok=2xx%0d%0a"))
            assertThat(tasks.error(at("/echo" + each), "x"))
                    .as(each)
                    .startsWith("ERROR:  ")
                    .doesNotContainPattern("\\p{Cntrl}");
        for (String each : List.of(
                "GET /echo HTTP/1.1\nX-A: b\rX-Evil: 1\n\n",
                "GET /echo\nX-A\u0001: b\n\n",
                "GET /echo\n X-A: b\n\n",
                "GET /echo\nHost: evil.example\n\n",
                "GET /echo\nTransfer-Encoding: chunked\n\n",
                "GET /echo\nContent-Length: 0\n\n",
                "GET /echo\nConnection: upgrade\n\n",
                "GET /echo\nX-A: " + "b".repeat(100_000) + "\n\n",
                "GET /echo\n" + "X-A: b\n".repeat(3) + "X-B: c\u2028d\n\n",
                "GET /echo HTTP/1.1\rX-Evil: 1\n\n",
                "GET /" + "e".repeat(3_000) + "\n\n"))
            assertThat(tasks.error(at("#input=request"), each))
                    .as(each.substring(0, Math.min(each.length(), 60)))
                    .startsWith("ERROR:  the request cannot be sent: ");
        assertThat(place.seen()).isEmpty();
        tasks.error(at("/none%0d%0aX-Evil:%201?a=%0d%0aX-Evil:%201#timeout=1"), "");
        String output = tasks.output(at("/echo?a=%0d%0aX-Evil:%201"), "");
        assertThat(output).isEqualTo("GET ");
        assertThat(place.seen()).hasSize(1).allMatch(each -> each.headers().getFirst("X-Evil") == null);
    }

    @Test
    void answer_thatDrips_endsWithTheTimeout() throws Exception {
        for (String each : List.of("H", "HTTP/1.1 200 OK\r\nX-A: ", "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"))
            try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                Thread speaker = new Thread(() -> drip(server, each));
                speaker.start();
                String there = "http://127.0.0.1:" + server.getLocalPort();
                tasks.reach.settings(ReachSettings.of(List.of("http://127.0.0.1:*")));
                long id = tasks.add(there, "", "timeout", "'700 ms'");
                tasks.awaitState(id, "FAIL");
                assertThat(tasks.column("error", id))
                        .as(each)
                        .isEqualTo("ERROR:  " + there
                                + " was not done within 700 ms\nDETAIL:  It may have been carried out.");
                speaker.join(Duration.ofMinutes(1).toMillis());
                assertThat(speaker.isAlive()).as("the connection is closed").isFalse();
            }
    }

    /** Says that at once, and then a letter now and then. */
    private static void drip(ServerSocket server, String begin) {
        try (Socket socket = server.accept()) {
            CountDownLatch never = new CountDownLatch(1);
            for (String next = begin; ; next = "x") {
                socket.getOutputStream().write(next.getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().flush();
                if (never.await(20, TimeUnit.MILLISECONDS)) return;
            }
        } catch (IOException | InterruptedException e) {
            // The client has left.
        }
    }

    @Test
    void server_thatIsNotThereOrSpeaksNoHttp_isAClearError() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String there = "http://127.0.0.1:" + server.getLocalPort();
            tasks.reach.settings(ReachSettings.of(List.of("http://127.0.0.1:*", "https://127.0.0.1:*")));
            AtomicReference<String> answer = new AtomicReference<>("SSH-2.0-x\r\n".repeat(10));
            Thread speaker = new Thread(() -> speak(server, answer));
            speaker.start();
            assertThat(tasks.error(there, "")).isEqualTo("ERROR:  " + there + " has answered what is no HTTP");
            answer.set(
                    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
            assertThat(tasks.error(there, ""))
                    .isEqualTo("ERROR:  " + there + " answered with both Content-Length and Transfer-Encoding");
            for (String headers : List.of("X-A: b\r\n".repeat(200), "X-A: " + "b".repeat(20_000) + "\r\n")) {
                answer.set("HTTP/1.1 200 OK\r\n" + headers + "Content-Length: 0\r\n\r\n");
                assertThat(tasks.error(there, ""))
                        .isEqualTo(
                                "ERROR:  " + there + " answered with more headers than 100, or one longer than 8 KiB");
            }
            answer.set("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello");
            assertThat(tasks.error(there, ""))
                    .startsWith("ERROR:  the connection to " + there + " was lost; it may have been carried out");
            answer.set("HTTP/1.1 103 Early Hints\r\nX-A: b\r\n\r\n".repeat(20) + "HTTP/1.1 402 No\r\n\r\n");
            assertThat(tasks.error(there, "")).startsWith("ERROR:  " + there + " answered 402");
            answer.set("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(20));
            assertThat(tasks.error(there, "")).startsWith("ERROR:  the connection to " + there + " was lost");
            assertThat(tasks.error(there.replace("http:", "https:"), ""))
                    .startsWith("ERROR:  no secure connection to ");
            server.close();
            assertThat(tasks.error(there, "")).startsWith("ERROR:  " + there + " cannot be reached\nDETAIL:");
        }
    }

    private static void speak(ServerSocket server, AtomicReference<String> answer) {
        while (!server.isClosed())
            try (Socket socket = server.accept()) {
                socket.getOutputStream().write(String.valueOf(answer.get()).getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().flush();
                socket.shutdownOutput();
                socket.getInputStream().readAllBytes();
            } catch (IOException e) {
                // The client has left, or the test is over.
            }
    }
}
