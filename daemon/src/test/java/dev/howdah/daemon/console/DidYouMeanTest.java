package dev.howdah.daemon.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class DidYouMeanTest {
    @Test
    void distance_oneTypingErrorOfEachKind_isOne() {
        assertThat(DidYouMean.distance("port", "port")).isZero();
        assertThat(DidYouMean.distance("prot", "port")).isEqualTo(1);
        assertThat(DidYouMean.distance("ort", "port")).isEqualTo(1);
        assertThat(DidYouMean.distance("pport", "port")).isEqualTo(1);
        assertThat(DidYouMean.distance("pOst", "port")).isEqualTo(1);
        assertThat(DidYouMean.distance("", "port")).isEqualTo(4);
    }

    @Test
    void to_nothingClose_isEmpty() {
        assertThat(DidYouMean.to("colour", List.of("pg-port", "url"))).isEmpty();
        assertThat(DidYouMean.hint("colour", List.of("pg-port"))).isEmpty();
        assertThat(DidYouMean.hint("pg-prot", List.of("url", "pg-port", "pg-auth")))
                .isEqualTo(": did you mean \"pg-port\"?");
    }
}
