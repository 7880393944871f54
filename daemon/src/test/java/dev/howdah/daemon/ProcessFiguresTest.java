package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.daemon.monitoring.DaemonMonitoring;
import dev.howdah.daemon.monitoring.MonitoringServer;
import dev.howdah.daemon.monitoring.Prometheus;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The histograms of processes as Prometheus reads them: names, labels and buckets that dashboards of the specification's point 12 ask for. */
@PostgresTest
class ProcessFiguresTest {
    private static String shown(MonitoringServer server) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/metrics"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void processes_ofANamespace_areFiguresByTheNamesOfTheSpecification(TestDatabase database) throws Exception {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(
                "jdbc:postgresql://" + database.uri().substring("postgresql://postgres@".length()) + "?user=postgres");
        Prometheus figures = new Prometheus();
        try (MonitoringServer server =
                        MonitoringServer.start("127.0.0.1", 0, new DaemonMonitoring(figures, () -> null, () -> null));
                Processes processes = Processes.on(source)
                        .metrics(figures)
                        .namespace(Namespace.of("default/default", (task, process) -> Intent.none()))
                        .start()) {
            processes.init("default/default", "a", null);
            processes.call("default/default", "a", null);
            // The node looks for what waits in a thread of its own.
            await().atMost(Patience.LIMIT)
                    .until(() -> shown(server).contains("progressor_calls_scanning_duration_ms_count{"));
            String shown = shown(server);
            assertThat(shown)
                    .contains(
                            "# TYPE progressor_calls_scanning_duration_ms histogram\n",
                            "# TYPE progressor_timers_scanning_duration_ms histogram\n",
                            "progressor_calls_scanning_duration_ms_count{prg_namespace=\"default/default\"} ")
                    .containsPattern(
                            "progressor_request_preparing_duration_ms_bucket\\{prg_namespace=\"default/default\",task_type=\"call\",le=\"50.0\"} [01]\n")
                    .containsPattern(
                            "progressor_task_processing_duration_ms_bucket\\{prg_namespace=\"default/default\",task_type=\"init\",le=\"1000.0\"} [01]\n")
                    .contains(
                            "progressor_task_processing_duration_ms_count{prg_namespace=\"default/default\",task_type=\"call\"} 1\n",
                            "progressor_task_completion_duration_ms_bucket{completion_type=\"complete_and_unlock\",prg_namespace=\"default/default\",le=\"+Inf\"} 2\n",
                            "howdah_process_steps_total{namespace=\"default/default\",outcome=\"done\",type=\"call\"} 1.0\n");
            for (String bound : new String[] {"0.5", "5.0", "50.0", "150.0", "300.0", "500.0", "750.0", "1000.0"})
                assertThat(shown)
                        .contains(
                                "progressor_request_preparing_duration_ms_bucket{prg_namespace=\"default/default\",task_type=\"init\",le=\""
                                        + bound + "\"} ");
        }
    }
}
