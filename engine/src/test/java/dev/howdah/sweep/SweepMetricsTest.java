package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RecordedMetrics;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The metrics of a sweep in one process. */
@PostgresTest
class SweepMetricsTest {
    private static final int ROWS = 30;

    private final SweepDatabase database;
    private final RecordedMetrics metrics = new RecordedMetrics();

    SweepMetricsTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, ROWS);
    }

    @Test // a pause that the receiver asks for
    void gauges_sayWhatIsLeft_andThatNothingBegins() throws InterruptedException {
        AtomicBoolean isAway = new AtomicBoolean(true);
        try (Sweep sweep = database.mailing()
                .metrics(metrics)
                .workers(1)
                .forEachRow(row -> {
                    if (row.getLong("id") == 11 && isAway.get()) throw new ReceiverUnavailableException("away");
                })
                .start()) {
            SweepDatabase.awaiting("it waits")
                    .until(() -> Double.valueOf(1).equals(metrics.figures().get("howdah_sweep_held{sweep=mailing}"))
                            && Double.valueOf(ROWS - 10)
                                    .equals(metrics.figures().get("howdah_sweep_rows_left{sweep=mailing}")));
            isAway.set(false);
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
        assertThat(metrics.figures().get("howdah_sweep_held{sweep=mailing}")).isNaN();
        assertThat(metrics.figures().get("howdah_sweep_rows_left{sweep=mailing}"))
                .isNaN();
    }

    @Test
    void rows_areCountedByOutcome_andBatchesAreTimed() throws InterruptedException {
        try (Sweep sweep = database.mailing()
                .metrics(metrics)
                .retries(RetryPolicy.linear(Duration.ofMillis(10), 3))
                .forEachRow(row -> {
                    if (row.getLong("id") == 7) throw new IllegalStateException("no such address");
                })
                .start()) {
            assertThat(sweep.join().done()).isEqualTo(ROWS - 1);
        }
        assertThat(metrics.figures())
                .containsEntry("howdah_sweep_rows_total{outcome=done, sweep=mailing}", ROWS - 1.0)
                .containsEntry("howdah_sweep_rows_total{outcome=retried, sweep=mailing}", 2.0)
                .containsEntry("howdah_sweep_rows_total{outcome=failed, sweep=mailing}", 1.0)
                .hasEntrySatisfying(
                        "howdah_sweep_batch_seconds{sweep=mailing}",
                        batches -> assertThat(batches).isPositive());
    }
}
