package dev.howdah.job.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.job.Schedule;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The decision about times whose job would overlap the last one. */
class ScheduleOverlapTest {
    private static final List<Instant> TIMES =
            List.of(Instant.EPOCH, Instant.EPOCH.plusSeconds(1), Instant.EPOCH.plusSeconds(2));

    @ParameterizedTest // of three times: the first and the end of those that get a job
    @CsvSource({
        "ALLOW, ENDED, 0, 3, 0, false",
        "ALLOW, WAITS, 0, 3, 0, false",
        "ALLOW, RUNS, 0, 3, 0, false",
        "SKIP, ENDED, 0, 1, 2, false",
        "SKIP, WAITS, 0, 0, 3, false",
        "SKIP, RUNS, 0, 0, 3, false",
        "QUEUE_ONE, ENDED, 0, 1, 2, false",
        "QUEUE_ONE, WAITS, 0, 0, 3, false",
        "QUEUE_ONE, RUNS, 0, 1, 2, false",
        "CANCEL_OLD, ENDED, 2, 3, 2, false",
        "CANCEL_OLD, WAITS, 2, 3, 2, true",
        "CANCEL_OLD, RUNS, 2, 3, 2, true",
    })
    void of_severalTimes_isThis(
            Schedule.Overlap overlap,
            ScheduleOverlap.LastJob last,
            int from,
            int to,
            long skipped,
            boolean cancelsLast) {
        assertThat(ScheduleOverlap.of(overlap, TIMES, last))
                .isEqualTo(new ScheduleOverlap(TIMES.subList(from, to), skipped, cancelsLast));
        assertThat(ScheduleOverlap.of(overlap, List.of(), last)).isEqualTo(new ScheduleOverlap(List.of(), 0, false));
    }
}
