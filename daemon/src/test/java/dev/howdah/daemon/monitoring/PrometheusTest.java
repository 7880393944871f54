package dev.howdah.daemon.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.daemon.console.CliException;
import dev.howdah.spi.Metrics;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What Prometheus is told, and by which door. */
class PrometheusTest {
    private final Prometheus figures = new Prometheus();

    @Test
    void counters_withLabels_areEscapedAndSorted() {
        figures.counter("b_total", "two\nlines \\ and \"quotes\"", Map.of("queue", "a\"b\\c\nd", "kind", "grün"))
                .add(2);
        Metrics.Counter same = figures.counter("b_total", "other words", Map.of("kind", "grün", "queue", "a\"b\\c\nd"));
        same.add(3);
        figures.gauge("a", "Now", Map.of()).set(0.5);
        assertThat(figures.text(null)).isEqualTo("""
                # HELP a Now
                # TYPE a gauge
                a 0.5
                # HELP b_total two\\nlines \\\\ and "quotes"
                # TYPE b_total counter
                b_total{kind="grün",queue="a\\"b\\\\c\\nd"} 5.0
                """);
    }

    @Test
    void timer_manyTimes_isAHistogramInSeconds() {
        Metrics.Timer timer = figures.timer("t_seconds", "Took", Map.of("k", "v"));
        for (long nanos : new long[] {0, 1_000_000, 1_000_001, 4_000_000_000_000L}) timer.record(nanos);
        assertThat(figures.text(null).lines())
                .startsWith(
                        "# HELP t_seconds Took",
                        "# TYPE t_seconds histogram",
                        "t_seconds_bucket{k=\"v\",le=\"0.001\"} 2")
                .contains("t_seconds_bucket{k=\"v\",le=\"0.0025\"} 3")
                .containsSequence(
                        "t_seconds_bucket{k=\"v\",le=\"3600.0\"} 3", "t_seconds_bucket{k=\"v\",le=\"+Inf\"} 4")
                .endsWith("t_seconds_count{k=\"v\"} 4", "t_seconds_sum{k=\"v\"} 4000.002000001");
    }

    @Test
    void name_ofAnotherType_isRefused() {
        figures.counter("x_total", "x", Map.of());
        assertThatThrownBy(() -> figures.gauge("x_total", "x", Map.of()))
                .hasMessage("x_total is a Counter, and cannot be a Gauge");
    }

    @Test
    void server_asked_showsFiguresAndNothingElse() throws Exception {
        figures.counter("c_total", "c", Map.of()).add(1);
        try (MonitoringServer server =
                MonitoringServer.start("127.0.0.1", 0, new DaemonMonitoring(figures, () -> null, () -> null))) {
            assertThat(ask(server, "GET", "/metrics").body()).contains("\nc_total 1.0\n");
            assertThat(ask(server, "GET", "/metrics").headers().firstValue("content-type"))
                    .contains("text/plain; version=0.0.4; charset=utf-8");
            assertThat(ask(server, "HEAD", "/metrics").body()).isEmpty();
            assertThat(ask(server, "GET", "/metrics/../x").statusCode()).isEqualTo(404);
            assertThat(ask(server, "POST", "/metrics").statusCode()).isEqualTo(405);
        }
    }

    private static HttpResponse<String> ask(MonitoringServer server, String method, String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                                .method(method, HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void port_inUse_saysSo() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = other.getLocalPort();
            assertThatThrownBy(() -> MonitoringServer.start(
                            "127.0.0.1", port, new DaemonMonitoring(figures, () -> null, () -> null)))
                    .isInstanceOf(CliException.class)
                    .hasMessageContaining("--metrics-port " + port + ": cannot listen at 127.0.0.1:" + port);
        }
    }
}
