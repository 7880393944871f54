package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Answers that want something of the client: another address, a cookie to come back, memory, another protocol. */
@PostgresTest
class HttpOddAnswersTest {
    private static final int BOMB = 64 << 20;

    private final HttpPlace place = new HttpPlace((exchange, seen) -> answer(exchange));
    private final ReachingTasks tasks;

    HttpOddAnswersTest(TestDatabase database) throws IOException {
        tasks = new ReachingTasks(database, "http://127.0.0.1:*", "http://[::1]:*");
    }

    @AfterEach
    void close() {
        tasks.close();
        place.close();
    }

    private static void answer(HttpExchange exchange) throws IOException {
        String query = exchange.getRequestURI().getRawQuery();
        switch (exchange.getRequestURI().getPath()) {
            case "/to" -> {
                exchange.getResponseHeaders().add("Location", URLDecoder.decode(query, StandardCharsets.UTF_8));
                exchange.sendResponseHeaders(307, -1);
            }
            case "/cookie" -> {
                exchange.getResponseHeaders().add("Set-Cookie", "session=1; Path=/");
                exchange.sendResponseHeaders(204, -1);
            }
            case "/bomb" -> {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
                    gzip.write(new byte[BOMB]);
                }
                exchange.getResponseHeaders().add("Content-Encoding", "gzip");
                exchange.sendResponseHeaders(200, bytes.size());
                exchange.getResponseBody().write(bytes.toByteArray());
            }
            default -> {
                byte[] host = exchange.getRequestHeaders().getFirst("Host").getBytes(StandardCharsets.US_ASCII);
                exchange.sendResponseHeaders(200, host.length);
                exchange.getResponseBody().write(host);
            }
        }
    }

    @Test
    void redirect_toAnotherSchemeOrPlace_isNotFollowed() {
        for (String to : List.of(
                "file:///etc/passwd",
                "jar:http://127.0.0.1/x!/y",
                "ftp://127.0.0.1/",
                "//127.0.0.1:1/",
                "gopher://x",
                "https://127.0.0.1/",
                "/echo",
                "%00",
                "http://user:geheim@127.0.0.1/"))
            assertThat(tasks.error(place.address() + "/to?" + to.replace("%", "%25"), "x"))
                    .as(to)
                    .startsWith("ERROR:  " + place.address() + "/to answered 307\nDETAIL:  It is to go to ")
                    .endsWith("; redirects are not followed.")
                    .doesNotContain("geheim");
        assertThat(place.seen()).hasSize(9);
    }

    @Test
    void cookie_isNotSentBack() {
        tasks.output(place.address() + "/cookie", "");
        tasks.output(place.address() + "/echo", "");
        assertThat(place.seen())
                .hasSize(2)
                .allSatisfy(
                        each -> assertThat(each.headers().getFirst("Cookie")).isNull());
    }

    @Test
    void answer_thatIsCompressed_isNotUnpacked() {
        assertThat(tasks.error(place.address() + "/bomb", ""))
                .isEqualTo(
                        "ERROR:  " + place.address() + "/bomb answered compressed, which it was not asked for:"
                                + " Content-Encoding gzip\nHINT:  With the option answer=document it becomes a document as it is.");
        assertThat(place.seen().peek().headers().getFirst("Accept-Encoding")).isEqualTo("identity");
        assertThat(tasks.output(place.address() + "/bomb#answer=json", ""))
                .hasSizeLessThan(200_000)
                .contains("\"body_base64\":\"H4sI");
    }

    @Test
    void server_thatSpeaksHttp2Alone_isAnErrorThatMayPass() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            new Thread(() -> settings(server)).start();
            String there = "http://127.0.0.1:" + server.getLocalPort();
            assertThat(tasks.error(there, "x")).startsWith("ERROR:  the connection to " + there + " was lost");
        }
    }

    /** The frame SETTINGS, and GOAWAY with PROTOCOL_ERROR, as such a server answers. */
    private static void settings(ServerSocket server) {
        byte[] frames = {0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, '\n'};
        while (!server.isClosed())
            try (Socket socket = server.accept()) {
                socket.getOutputStream().write(frames);
                socket.shutdownOutput();
                socket.getInputStream().readAllBytes();
            } catch (IOException e) {
                // The client has left, or the test is over.
            }
    }

    @Test
    void address_inAnyOfItsForms_isTheOneThatIsAllowed() throws Exception {
        String port = place.address().substring(place.address().lastIndexOf(':'));
        assertThat(tasks.output("HTTP://127.0.0.1" + port + "/", "")).isEqualTo("127.0.0.1" + port);
        assertThat(tasks.output("hTTp://127.0.0.1" + port + "#input=request", "GET /\n\n"))
                .isEqualTo("127.0.0.1" + port);
        assertThat(tasks.error("http://localhost" + port, "")).contains("may not reach");
        for (String each :
                List.of("http://2130706433", "http://0177.0.0.1", "http://127.1", "http://127.0.0.1.", "http://0x7f.1"))
            assertThat(tasks.error(each + port + "/", "")).as(each).startsWith("ERROR:  ");
        HttpServer six = HttpServer.create(new InetSocketAddress("::1", 0), 0);
        six.createContext("/", exchange -> {
            try (exchange) {
                answer(exchange);
            }
        });
        six.start();
        try {
            String there = ":" + six.getAddress().getPort() + "/";
            for (String each : List.of("[::1]", "[0:0:0:0:0:0:0:1]", "[::0001]", "[::0.0.0.1]"))
                assertThat(tasks.output("http://" + each + there, ""))
                        .as(each)
                        .isEqualTo("[::1]" + there.replace("/", ""));
            assertThat(tasks.error("http://[::1%25lo]" + there, "")).contains("takes no zone");
            assertThat(tasks.error("http://[::2]" + there, "")).contains("may not reach http://[::2]");
            assertThat(tasks.error("http://[::ffff:169.254.169.254]/", ""))
                    .contains("may not reach http://169.254.169.254/");
        } finally {
            six.stop(0);
        }
    }
}
