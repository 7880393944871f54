package dev.howdah.daemon.cli.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The times of the options of a sweep. */
class SweepLimitsTest {
    private static SweepLimits limits(String... words) {
        return CommandLine.populateCommand(new SweepLimits(), words);
    }

    private static SweepWork work(String... words) {
        return CommandLine.populateCommand(new SweepWork(), words);
    }

    @Test
    void maxRest_ofANumber_isThatManySeconds() {
        assertThat(limits("--max-rest", "7").maxOutage()).isEqualTo(Duration.ofSeconds(7));
        assertThat(limits().maxOutage()).isEqualTo(Duration.ofHours(1));
        assertThat(limits("--max-rest", "0").maxOutage()).isNull();
        assertThatThrownBy(() -> limits("--max-rest", "-1").maxOutage())
                .hasMessage("--max-rest -1: it has to be 1 or more, or 0 for never");
    }

    @Test
    void skip_ofANumber_isThatManySecondsLongerEachTime() {
        Exception failure = new Exception();
        assertThat(limits("--skip", "7").retries().delay(1, failure)).contains(Duration.ofSeconds(7));
        assertThat(limits("--skip", "7").retries().delay(2, failure)).contains(Duration.ofSeconds(14));
        assertThat(limits("--skip", "7").retries().delay(3, failure)).isEmpty();
        assertThat(limits().retries().delay(1, failure)).contains(Duration.ofSeconds(10));
        assertThat(limits("--skip", "0").retries().delay(1, failure)).contains(Duration.ZERO);
    }

    @Test
    void grace_ofANumber_isThatManySeconds() {
        assertThat(limits("--grace", "7").shutdownTimeout()).isEqualTo(Duration.ofSeconds(7));
        assertThat(limits().shutdownTimeout()).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void timeout_ofANumber_isThatManySeconds() {
        assertThat(work("--timeout", "7").longest()).isEqualTo(Duration.ofSeconds(7));
        assertThat(work().longest()).isEqualTo(Duration.ofMinutes(1));
    }
}
