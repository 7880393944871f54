package dev.howdah.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HtmlTextTest {
    private static final String NGINX =
            "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad"
                    + " Gateway</h1></center>\r\n<hr><center>nginx/1.18.0</center>\r\n</body>\r\n</html>\r\n";

    @Test
    void summary_ofAPage_isItsTitleAndFirstLine() {
        assertThat(HtmlText.summary(NGINX)).isEqualTo("502 Bad Gateway; nginx/1.18.0");
        assertThat(HtmlText.summary("<!DOCTYPE html><!-- a\n<p>b --><head><style>h1 {}</style><title>\n Down\n for"
                        + " work </title><body><script>x < 1</script>\n\n<h1>Back &amp; soon, &lt;5 min</h1><p>more"))
                .isEqualTo("Down for work; Back & soon, <5 min");
        assertThat(HtmlText.summary("<html><p>only <b>this</b>")).isEqualTo("only");
        assertThat(HtmlText.summary("<html><title>cut")).isEqualTo("cut");
        assertThat(HtmlText.summary("<html><script>never ended")).isEmpty();
    }

    @Test
    void isPage_ofOtherBodies_isFalse() {
        assertThat(HtmlText.isPage(Optional.of("text/html; charset=utf-8"), "x"))
                .isTrue();
        assertThat(HtmlText.isPage(Optional.empty(), " <!doctype HTML><p>")).isTrue();
        assertThat(HtmlText.isPage(Optional.of("application/json"), "{\"error\": \"<html>\"}"))
                .isFalse();
        assertThat(HtmlText.isPage(Optional.of("text/plain"), "a <b> c")).isFalse();
    }

    @Test
    void error_ofAnAnswerThatIsAPage_isOneShortLine() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] body = NGINX.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "text/html");
            exchange.sendResponseHeaders(502, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/step");
            assertThat(new HttpPost(Duration.ofSeconds(30), 10_000)
                            .send(uri, Map.of(), new byte[0])
                            .error())
                    .isEqualTo(uri + " answered 502: 502 Bad Gateway; nginx/1.18.0");
        } finally {
            server.stop(0);
        }
    }
}
