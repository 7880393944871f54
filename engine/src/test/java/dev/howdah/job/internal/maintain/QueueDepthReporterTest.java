package dev.howdah.job.internal.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.metrics.Instruments;
import dev.howdah.job.internal.store.JobMetrics;
import dev.howdah.spi.RecordedMetrics;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What waits is not known in an outage, and is told of so many queues at most. */
class QueueDepthReporterTest {
    @Test
    void queues_moreThanHaveNumbersOfTheirOwn_areOne() {
        RecordedMetrics recorded = new RecordedMetrics();
        JobMetrics metrics = new JobMetrics(recorded);
        for (double lag : new double[] {5, 9}) {
            Map<String, JobMetrics.Depth> depths = new LinkedHashMap<>();
            for (int i = 0; i < Instruments.MOST + 200; i++)
                depths.put("tenant-" + i, new JobMetrics.Depth(2, lag + i));
            metrics.waiting(depths);
        }
        assertThat(recorded.figures().keySet().stream().filter(each -> each.startsWith("howdah_jobs_waiting")))
                .hasSize(Instruments.MOST);
        assertThat(recorded.figures())
                .containsEntry("howdah_jobs_waiting{queue=tenant-0}", 2.0)
                .containsEntry("howdah_jobs_waiting{queue=(others)}", 402.0)
                .containsEntry("howdah_jobs_lag_seconds{queue=(others)}", 9.0 + Instruments.MOST + 199);
        metrics.waiting(Map.of("tenant-0", new JobMetrics.Depth(1, 1)));
        assertThat(recorded.figures())
                .containsEntry("howdah_jobs_waiting{queue=tenant-1}", 0.0)
                .containsEntry("howdah_jobs_waiting{queue=(others)}", 0.0);
    }

    @Test
    void databaseThatCannotBeAsked_leavesNoNumber() {
        RecordedMetrics recorded = new RecordedMetrics();
        JobMetrics metrics = new JobMetrics(recorded);
        metrics.waiting(Map.of("work", new JobMetrics.Depth(10, 21.5)));
        assertThat(recorded.figures()).containsEntry("howdah_jobs_lag_seconds{queue=work}", 21.5);
        PGSimpleDataSource nowhere = new PGSimpleDataSource();
        nowhere.setUrl("jdbc:postgresql://127.0.0.1:1/none?user=postgres");
        QueueDepthReporter reporter = new QueueDepthReporter(metrics);
        try (MaintenanceRunner runner = new MaintenanceRunner(ConnectionSource.of(nowhere), reporter)) {
            runner.start();
            runner.call(reporter);
            await().atMost(Patience.LIMIT)
                    .untilAsserted(() -> assertThat(recorded.figures())
                            .containsEntry("howdah_jobs_waiting{queue=work}", Double.NaN)
                            .containsEntry("howdah_jobs_lag_seconds{queue=work}", Double.NaN));
        }
    }
}
