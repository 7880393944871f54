package dev.howdah.daemon.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class TimeoutOptionTest {
    private static TimeoutOption option(String... words) {
        return CommandLine.populateCommand(new TimeoutOption(), words);
    }

    @Test
    void timeout_ofANumber_isThatManySeconds() {
        assertThat(option("--timeout", "7").time()).isEqualTo(Duration.ofSeconds(7));
        assertThat(option("--timeout", "86400").time()).isEqualTo(Duration.ofDays(1));
        assertThat(option().time()).isEqualTo(Duration.ofMinutes(1));
        assertThat(option().isGiven()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "0", "86401", "2147483647"})
    void timeout_outOfBounds_isRefused(String seconds) {
        assertThatThrownBy(() -> option("--timeout", seconds).time())
                .hasMessage("--timeout has to be from 1 to 86400 seconds, not " + seconds);
    }
}
