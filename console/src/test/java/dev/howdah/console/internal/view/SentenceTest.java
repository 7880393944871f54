package dev.howdah.console.internal.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class SentenceTest {
    @Test
    void moments_ofAnyZone_areFound_andTheRestIsTextAsItIs() {
        assertThat(Sentence.pieces(
                        "It is due in 2 h at 2026-12-09 23:16:36+01:00, not at 2026-12-09 22:16:36.123456+00."))
                .containsExactly(
                        new Sentence.Piece("It is due in 2 h at ", null),
                        new Sentence.Piece("2026-12-09 23:16:36+01:00", Instant.parse("2026-12-09T22:16:36Z")),
                        new Sentence.Piece(", not at ", null),
                        new Sentence.Piece(
                                "2026-12-09 22:16:36.123456+00", Instant.parse("2026-12-09T22:16:36.123456Z")),
                        new Sentence.Piece(".", null));
        assertThat(Sentence.pieces("2026-12-09 22:16:36+00:00"))
                .containsExactly(
                        new Sentence.Piece("2026-12-09 22:16:36+00:00", Instant.parse("2026-12-09T22:16:36Z")));
        assertThat(Sentence.pieces("2026-99-09 23:16:36+01 <b> and 2026-12-09"))
                .containsExactly(new Sentence.Piece("2026-99-09 23:16:36+01 <b> and 2026-12-09", null));
        assertThat(Sentence.pieces("")).isEmpty();
    }
}
