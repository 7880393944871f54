package dev.howdah.job.internal.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.internal.store.JobMetrics;
import dev.howdah.spi.RecordedMetrics;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What waits is not known in an outage. */
class QueueDepthReporterTest {
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
