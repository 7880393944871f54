package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients that send or read slowly, or not at all: others are answered all the same. */
@Tag("long")
class SlowClientsTest extends ApiTestBase {
    /** More than the server has threads. */
    private static final int MANY = 40;

    private static final int MORE_THAN_THREADS = 26;

    /** A connection on which nothing happens ends after 30 s: an answer that waited for that would come later. */
    private static final Duration SOON = Patience.LIMIT;

    private final List<Socket> sockets = new ArrayList<>();

    SlowClientsTest(TestDatabase database) {
        super(database);
    }

    @Override
    void install() throws SQLException {
        ConsoleFixtures.tasksAndJobs(database);
        // An answer that the network does not take at once.
        database.execute("INSERT INTO task (input, state, plan) VALUES ('SELECT 1', 'DONE', now())");
        for (int i = 0; i < 3; i++)
            database.execute("ALTER TABLE task ADD note" + i + " text; UPDATE task SET note" + i
                    + " = repeat('a line' || chr(10), 140000)");
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database);
    }

    @AfterEach
    void disconnect() throws IOException {
        for (Socket each : sockets) each.close();
    }

    private Socket connect(String head, String body) throws IOException {
        return connect("127.0.0.1", head, body);
    }

    private Socket connect(String client, String head, String body) throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(client, 0));
        socket.setReceiveBufferSize(2_048);
        socket.connect(new InetSocketAddress("127.0.0.1", console.address().getPort()));
        sockets.add(socket);
        socket.getOutputStream()
                .write((head.replace("HOST", "Host: " + console.address().getAuthority())
                                        .replace("\n", "\r\n")
                                + body)
                        .getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        return socket;
    }

    private static String head(Socket socket) throws IOException {
        socket.setSoTimeout(20_000);
        StringBuilder head = new StringBuilder();
        InputStream in = socket.getInputStream();
        for (int each = in.read(); each >= 0; each = in.read()) {
            head.append((char) each);
            if (head.indexOf("\r\n\r\n") >= 0) break;
        }
        return head.toString();
    }

    /** A stream that has begun. A client that asks for many gets ahead of its rate. */
    private Socket stream(String client, String path) {
        return await().pollDelay(Duration.ZERO)
                .atMost(Patience.LIMIT)
                .until(
                        () -> {
                            Socket socket = connect(
                                    client, "GET " + path + " HTTP/1.1\nHOST\nAccept: text/event-stream\n\n", "");
                            String head = head(socket);
                            if (head.startsWith("HTTP/1.1 429")) return null;
                            assertThat(head).startsWith("HTTP/1.1 200");
                            return socket;
                        },
                        Objects::nonNull);
    }

    private void assertOthersAreAnswered(Duration within) throws Exception {
        for (String path : new String[] {"/tasks", "/api/v1/jobs?state=waiting"}) {
            HttpResponse<Void> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(console.address().resolve(path))
                                    .timeout(within)
                                    .build(),
                            HttpResponse.BodyHandlers.discarding());
            assertThat(answer.statusCode()).as(path).isEqualTo(200);
        }
    }

    @Test
    void bodies_thatNeverCome_keepNoThreads() throws Exception {
        for (int i = 0; i < MANY; i++)
            connect(
                    "POST /api/v1/jobs HTTP/1.1\nHOST\nContent-Type: application/json\nContent-Length: 1000\n\n",
                    "{\"kind\": \"k\"");
        for (int i = 0; i < MANY; i++)
            connect(
                    "POST /jobs/new HTTP/1.1\nHOST\nContent-Type: application/x-www-form-urlencoded\n"
                            + "Transfer-Encoding: chunked\n\n",
                    "5\r\nkind=\r\n");
        assertOthersAreAnswered(SOON);
        assertThat(database.value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("0");
    }

    @Test
    void bodies_thatAreLarge_comeAFewAtATime() throws Exception {
        String large = "POST /api/v1/jobs HTTP/1.1\nHOST\nContent-Type: application/json\nContent-Length: 900000\n\n";
        for (int i = 0; i < 8; i++) connect(large, " ".repeat(100_000));
        // Where it gets ahead of the last of those, it is read itself, and is not answered.
        await().atMost(SOON)
                .ignoreExceptionsInstanceOf(SocketTimeoutException.class)
                .untilAsserted(() -> assertThat(head(connect(large, " ".repeat(100_000))))
                        .startsWith("HTTP/1.1 503")
                        .contains("application/problem+json"));
        assertOthersAreAnswered(SOON);
        assertThat(api.post("/jobs", "{\"kind\": \"k\"}").status()).isEqualTo(201);
        assertThat(head(connect(
                        "POST /api/v1/jobs HTTP/1.1\nHOST\nContent-Type: application/json\nTransfer-Encoding: chunked\n\n",
                        "20000\r\n" + " ".repeat(0x20000) + "\r\n")))
                .startsWith("HTTP/1.1 413");
        // Given up, they make room.
        disconnect();
        String body = "{\"kind\": \"k\", \"payload\": \"" + "x".repeat(100_000) + "\"}";
        await().atMost(SOON).until(() -> api.post("/jobs", body).status() == 201);
    }

    @Test
    void answers_thatAreNotRead_keepNoThreads() throws Exception {
        for (int i = 0; i < MORE_THAN_THREADS; i++) connect("GET /api/v1/tasks/1 HTTP/1.1\nHOST\n\n", "");
        // Each has begun, also those behind as many as there are threads.
        for (Socket each : sockets) assertThat(head(each)).startsWith("HTTP/1.1 200");
        assertOthersAreAnswered(SOON);
        // One that is read at last is whole.
        Socket slow = connect("GET /api/v1/tasks/1 HTTP/1.1\nHOST\nConnection: close\n\n", "");
        assertOthersAreAnswered(SOON);
        assertThat(head(slow)).startsWith("HTTP/1.1 200");
        assertThat(slow.getInputStream().readAllBytes().length).isGreaterThan(2_900_000);
    }

    @Test
    void streams_moreThanThereMayBe_areRefused() throws Exception {
        List<Socket> streams = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) streams.add(stream("127.0.0." + (2 + i % 40), "/stream?view=/jobs/queues"));
        int full = 0;
        for (Socket each : streams) {
            byte[] begin = each.getInputStream().readNBytes(20);
            if (new String(begin, StandardCharsets.US_ASCII).contains("event: state")) full++;
        }
        assertThat(full).isEqualTo(500);
        for (int i = 0; i < 100; i++) stream("127.0.0.1", "/api/v1/events");
        assertThat(head(connect("GET /api/v1/events HTTP/1.1\nHOST\nAccept: text/event-stream\n\n", "")))
                .startsWith("HTTP/1.1 503");
        assertOthersAreAnswered(SOON);
    }

    @Test
    void eventStreams_thatAreNeverRead_endAndHoldUpNoOther() throws Exception {
        // So much state that the network does not take it at once.
        database.execute("SELECT howdah.add(repeat('q', 190) || n, 'k', 'null'::json) FROM generate_series(1, 3000) n");
        String stream = "GET /api/v1/events HTTP/1.1\nHOST\nAccept: text/event-stream\n\n";
        for (int i = 0; i < 19; i++) assertThat(head(connect(stream, ""))).startsWith("HTTP/1.1 200");
        HttpResponse<Stream<String>> read = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(console.address().resolve("/api/v1/events"))
                                .header("Accept", "text/event-stream")
                                .build(),
                        HttpResponse.BodyHandlers.ofLines());
        assertThat(read.statusCode()).isEqualTo(200);
        Set<String> named = ConcurrentHashMap.newKeySet();
        Thread reader = new Thread(() -> {
            try (Stream<String> lines = read.body()) {
                lines.filter(each -> each.contains("\"name\":\"beside\"") || each.equals("event: ready"))
                        .forEach(named::add);
            } catch (UncheckedIOException e) {
                // The console is closed.
            }
        });
        reader.setDaemon(true);
        reader.start();
        await().atMost(SOON).until(() -> named.contains("event: ready"));
        for (int i = 0; i < 3; i++) {
            int before = named.size();
            database.execute("SELECT howdah.add('beside', 'k', 'null'::json)");
            await().atMost(SOON).until(() -> named.size() > before);
            // All of it changes: more than is kept for a stream that is behind.
            database.execute(
                    "UPDATE howdah_internal.lane SET paused = now() + " + i + " * interval '1 s' WHERE home IS NULL");
        }
        assertOthersAreAnswered(SOON);
        // The caller has as many as there may be, until those that take nothing are let go.
        await().atMost(Patience.LIMIT).until(() -> head(connect(stream, "")).startsWith("HTTP/1.1 200"));
    }

    private static boolean hasEndedAfterAnotherByte(Socket socket) {
        try {
            socket.getOutputStream().write('x');
            socket.setSoTimeout(1);
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void headers_thatComeByTheByte_end_andOfOneAddressFewConnectionsAre() throws Exception {
        for (int i = 0; i < 520; i++) connect("127.0.0.9", "GET /login HTTP/1.1\n", "");
        // Of another address.
        assertOthersAreAnswered(SOON);
        await().atMost(Patience.LIMIT)
                .until(() -> sockets.stream().allMatch(SlowClientsTest::hasEndedAfterAnotherByte));
        assertOthersAreAnswered(SOON);
    }

    @Test
    @Tag("long")
    void connections_onWhichNothingComes_endAndMakeRoom() throws Exception {
        for (int i = 0; i < 20; i++)
            connect("POST /api/v1/jobs HTTP/1.1\nHOST\nContent-Type: application/json\nContent-Length: 9\n\n", "");
        for (int i = 0; i < 5; i++) connect("GET /api/v1/tasks/1 HTTP/1.1\nHOST\n\n", "");
        assertOthersAreAnswered(SOON);
        for (int i = 0; i < 2_000; i++) connect("127.0.0." + (2 + i % 5), "GET /tasks HTTP/1.1\nHo", "");
        // There are no more connections than 2,000, so the next one waits until some of these have ended.
        assertOthersAreAnswered(Duration.ofSeconds(90));
        for (int i = 0; i < 30; i++)
            assertThat(isEnded(sockets.get(i))).as("%d", i).isTrue();
    }

    /** Whether the server has ended it; what it has sent before is skipped. */
    private static boolean isEnded(Socket socket) {
        try {
            socket.setSoTimeout(60_000);
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }
}
