package dev.howdah.console.internal.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.SweepState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How long a sweep takes is said as far as it can be known. */
class TimeLeftTest {
    private static final Instant STARTED = Instant.parse("2026-11-28T12:00:00Z");

    private static SweepProgress sweep(
            SweepState state, long total, boolean isExact, long done, double rate, @Nullable String held) {
        return new SweepProgress(
                "mailing",
                Map.of(),
                state,
                STARTED,
                null,
                total,
                isExact,
                done,
                0,
                rate,
                0,
                null,
                null,
                List.of(new SweepProgress.Worker(1, "p", 1, done, 0, rate, held)));
    }

    private static String left(SweepProgress sweep, Duration passed) {
        return TimeLeft.of(sweep, STARTED.plus(passed));
    }

    @Test
    void rate_thatIsSteady_givesOneTime() {
        assertThat(left(sweep(SweepState.RUNNING, 10_000, true, 1_000, 10, null), Duration.ofSeconds(100)))
                .isEqualTo("9,000 rows left, about 15 min at the rate of late");
        assertThat(left(sweep(SweepState.RUNNING, 1_001, false, 1_000, 10, null), Duration.ofSeconds(100)))
                .startsWith("about 1 row left, about ");
    }

    @Test
    void rate_thatVaries_givesARange_withBothRates() {
        assertThat(left(sweep(SweepState.RUNNING, 10_000, true, 1_000, 50, null), Duration.ofSeconds(100)))
                .isEqualTo("9,000 rows left, 3 min to 15 min: 50/s of late, 10/s since it began");
    }

    @Test
    void time_thatCannotBeKnown_isNotSaid() {
        Duration passed = Duration.ofSeconds(100);
        assertThat(left(sweep(SweepState.RUNNING, 10_000, true, 1_000, 10, "lag"), passed))
                .isEqualTo("9,000 rows left");
        assertThat(left(sweep(SweepState.RUNNING, 10_000, true, 100, 10, null), Duration.ofSeconds(29)))
                .isEqualTo("9,900 rows left");
        assertThat(left(sweep(SweepState.RUNNING, 10_000, true, 1_000, 0, null), passed))
                .isEqualTo("9,000 rows left");
        assertThat(left(sweep(SweepState.PAUSED, 10_000, true, 1_000, 10, null), passed))
                .isEmpty();
        assertThat(left(sweep(SweepState.RUNNING, -1, true, 1_000, 10, null), passed))
                .isEmpty();
    }
}
