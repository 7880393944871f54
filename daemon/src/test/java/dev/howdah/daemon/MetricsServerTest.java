package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The metrics port and clients that do not finish what they began. */
@PostgresTest
class MetricsServerTest {
    private static final int HALF_SENT = 40;

    /** In a process of its own: the JDK reads the time limits once for all servers of a JVM. */
    @Test
    void requests_halfSent_areCutOffAndKeepNoOtherOut(TestDatabase database, @TempDir Path home) throws Exception {
        List<Socket> open = new ArrayList<>();
        try (HowdahProcess up =
                HowdahProcess.start(home, Map.of(), "up", "--url", database.uri(), "--metrics-port", "0", "--json")) {
            up.ready();
            Matcher port = Pattern.compile("metrics are at http://127\\.0\\.0\\.1:(\\d+)/metrics")
                    .matcher(up.err());
            assertThat(port.find()).as(up.err()).isTrue();
            int number = Integer.parseInt(port.group(1));
            for (int i = 0; i < HALF_SENT; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), number);
                open.add(socket);
                socket.getOutputStream().write("GET /metrics HTTP/1.1\r\nHo".getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().flush();
            }
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + number + "/metrics"))
                                    .timeout(Duration.ofSeconds(90))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(200);
        } finally {
            for (Socket socket : open) socket.close();
        }
    }
}
