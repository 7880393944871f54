package dev.howdah.internal.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.spi.Metrics;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The bounds and defaults of the options that all builders have. */
class NodeOptionsTest {
    private final NodeOptions options = new NodeOptions(new PGSimpleDataSource());

    @Test
    void defaults() {
        assertThat(options.name()).isEqualTo("pid " + ProcessHandle.current().pid());
        assertThat(options.shutdownTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(options.metrics()).isSameAs(Metrics.none());
        assertThat(options.sessions()).isSameAs(options.source());
    }

    @Test
    void sessions_ofAnotherDataSource_areNotThoseOfTheCalls() {
        options.sessions(new PGSimpleDataSource());
        assertThat(options.sessions()).isNotSameAs(options.source());
    }

    @Test
    void name_outOfBounds_isRefused() {
        options.name("\uD83D\uDC18".repeat(200));
        assertThatThrownBy(() -> options.name(""))
                .hasMessage("the name of a node has 1 to 200 characters, none of them 0; not 0");
        assertThatThrownBy(() -> options.name("a\0b"))
                .hasMessage("the name of a node has 1 to 200 characters, none of them 0; not 3: a\\0b");
        assertThatThrownBy(() -> options.name("x".repeat(201)))
                .hasMessageEndingWith("not 201: " + "x".repeat(40) + "...");
    }

    @Test
    void shutdownTimeout_outOfBounds_isRefused() {
        options.shutdownTimeout(Duration.ZERO);
        assertThatThrownBy(() -> options.shutdownTimeout(Duration.ofNanos(-1)))
                .hasMessage("a shutdown timeout of PT-0.000000001S: it has to be zero to a thousand years");
        assertThatThrownBy(() -> options.shutdownTimeout(Duration.ofDays(400_000)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
