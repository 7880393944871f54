package dev.howdah.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.spi.Metrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Names and values of meters, and what a registry of Prometheus makes of them. */
class MicrometerMetricsTest {
    private static final Map<String, String> MAIL = Map.of("queue", "default", "kind", "mail");

    private static void record(Metrics metrics) {
        metrics.counter("howdah_jobs_ended_total", "Jobs that ended", MAIL).add(3);
        metrics.timer("howdah_job_seconds", "How long handlers ran", MAIL).record(2_000_000_000L);
        metrics.gauge("howdah_jobs_waiting", "Jobs that are due", Map.of("queue", "default"))
                .set(7);
        metrics.gauge("howdah_jobs_lag_seconds", "For how long", Map.of("queue", "default"))
                .set(1.5);
        metrics.histogram(
                        "progressor_calls_scanning_duration_ms",
                        "The time of a scan",
                        List.of(1.0, 10.0),
                        Map.of("prg_namespace", "order"))
                .record(4);
    }

    @Test
    void meters_inARegistryOfPrometheus_haveTheNamesOfTheDaemon() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        record(MicrometerMetrics.of(registry));
        assertThat(registry.scrape())
                .contains(
                        "howdah_jobs_ended_total{kind=\"mail\",queue=\"default\"} 3.0",
                        "# TYPE howdah_job_seconds histogram",
                        "howdah_job_seconds_bucket{kind=\"mail\",queue=\"default\",le=\"2.5\"} 1",
                        "howdah_job_seconds_bucket{kind=\"mail\",queue=\"default\",le=\"1.0\"} 0",
                        "howdah_job_seconds_sum{kind=\"mail\",queue=\"default\"} 2.0",
                        "howdah_job_seconds_bucket{kind=\"mail\",queue=\"default\",le=\"3600.0\"} 1",
                        "howdah_jobs_waiting{queue=\"default\"} 7.0",
                        "howdah_jobs_lag_seconds{queue=\"default\"} 1.5",
                        "progressor_calls_scanning_duration_ms_bucket{prg_namespace=\"order\",le=\"10.0\"} 1",
                        "progressor_calls_scanning_duration_ms_bucket{prg_namespace=\"order\",le=\"1.0\"} 0");
    }

    @Test
    void meters_areNamedAsMicrometerNamesThem() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        record(MicrometerMetrics.of(registry));
        assertThat(registry.get("howdah.jobs.ended")
                        .tag("kind", "mail")
                        .counter()
                        .count())
                .isEqualTo(3);
        assertThat(registry.get("howdah.job").timer().count()).isEqualTo(1);
        assertThat(registry.get("howdah.jobs.lag").gauge().value()).isEqualTo(1.5);
        assertThat(registry.get("howdah.jobs.lag").gauge().getId().getBaseUnit())
                .isEqualTo("seconds");
    }

    @Test
    void gauge_askedForTwice_isTheSame() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        Metrics metrics = MicrometerMetrics.of(registry);
        metrics.gauge("howdah_jobs_waiting", "", Map.of("queue", "a")).set(1);
        metrics.gauge("howdah_jobs_waiting", "", Map.of("queue", "a")).set(2);
        metrics.gauge("howdah_jobs_waiting", "", Map.of("queue", "b")).set(3);
        assertThat(registry.get("howdah.jobs.waiting").tag("queue", "a").gauge().value())
                .isEqualTo(2);
        assertThat(registry.getMeters()).hasSize(2);
    }
}
