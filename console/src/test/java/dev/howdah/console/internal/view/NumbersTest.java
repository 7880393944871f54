package dev.howdah.console.internal.view;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers and rates for people. */
class NumbersTest {
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {"0, 0/s", "0.05, 3.0/min", "0.5, 30.0/min", "4.25, 4.3/s", "1240, \"1,240/s\""})
    void rate_belowOneASecond_isByTheMinute(double perSecond, String words) {
        assertThat(Numbers.rate(perSecond)).isEqualTo(words);
    }

    @Test
    void count_hasCommas_andSaysWhereItEnds() {
        assertThat(Numbers.count(9_900_000)).isEqualTo("9,900,000");
        assertThat(Numbers.of(1, "job", "jobs") + ", " + Numbers.of(1_234, "job", "jobs"))
                .isEqualTo("1 job, 1,234 jobs");
        assertThat(Numbers.capped(10_001, 10_000)).isEqualTo("10,000+");
        assertThat(Numbers.capped(10_000, 10_000)).isEqualTo("10,000");
        assertThat(Numbers.counted(12_000, false)).isEqualTo("12,000+");
    }
}
