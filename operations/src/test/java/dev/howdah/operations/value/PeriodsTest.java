package dev.howdah.operations.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Periods as people read them. */
class PeriodsTest {
    @ParameterizedTest
    @CsvSource({
        "PT0S, 0",
        "PT0.006S, 6 ms",
        "PT1.5S, 1 s 500 ms",
        "PT90M, 1 h 30 min",
        "P2D, 2 d",
        "PT0.000001S, PT0.000001S",
    })
    void words_areReadAgain(Duration period, String words) {
        assertThat(Periods.words(period)).isEqualTo(words);
        assertThat(Periods.parse(words)).isEqualTo(period);
    }
}
