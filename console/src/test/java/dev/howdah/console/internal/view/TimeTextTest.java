package dev.howdah.console.internal.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Times and durations for people. */
class TimeTextTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0 ms",
        "850, 850 ms",
        "12400, 12.4 s",
        "200000, 3 min 20 s",
        "180000, 3 min",
        "7500000, 2 h 5 min",
        "273600000, 3 d 4 h",
        "-5, 0 ms"
    })
    void duration_isInTwoUnitsAtMost(long millis, String words) {
        assertThat(TimeText.duration(Duration.ofMillis(millis))).isEqualTo(words);
    }

    @Test
    void time_hasTheValueForMachinesAndItsZone() {
        Instant time = Instant.parse("2026-11-28T08:09:10.123456Z");
        assertThat(TimeText.machine(time)).isEqualTo("2026-11-28T08:09:10.123Z");
        assertThat(TimeText.text(time)).isEqualTo("2026-11-28 08:09:10 UTC");
        assertThat(TimeText.text(Instant.MAX) + " " + TimeText.text(Instant.MIN))
                .isEqualTo("infinity -infinity");
        assertThat(TimeText.machine(Instant.MAX)).isEmpty();
        assertThat(TimeText.tick(time, true) + " " + TimeText.tick(time, false)).isEqualTo("2026-11-28 08:09");
        assertThat(TimeText.duration(time, null)).isEmpty();
    }
}
