package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestTest {
    @Test
    void distance_oneTypingErrorOfEachKind_isOne() {
        assertThat(Nearest.distance("port", "port")).isZero();
        assertThat(Nearest.distance("prot", "port")).isEqualTo(1);
        assertThat(Nearest.distance("ort", "port")).isEqualTo(1);
        assertThat(Nearest.distance("pport", "port")).isEqualTo(1);
        assertThat(Nearest.distance("pOst", "port")).isEqualTo(1);
        assertThat(Nearest.distance("", "port")).isEqualTo(4);
    }

    @Test
    void to_nothingClose_isEmpty() {
        assertThat(Nearest.to("colour", List.of("pg-port", "url"))).isEmpty();
        assertThat(Nearest.hint("colour", List.of("pg-port"))).isEmpty();
        assertThat(Nearest.hint("pg-prot", List.of("url", "pg-port", "pg-auth")))
                .isEqualTo(": did you mean \"pg-port\"?");
    }
}
