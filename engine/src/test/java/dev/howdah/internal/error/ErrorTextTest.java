package dev.howdah.internal.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ErrorTextTest {
    @Test
    void text_hasClassMessageTraceAndCauses() {
        Throwable thrown =
                new IllegalStateException("outer", new IOException("inner", new NoSuchElementException("7")));
        ErrorText error = ErrorText.of(thrown);
        assertThat(error.line()).isEqualTo("java.lang.IllegalStateException: outer");
        assertThat(error.text())
                .startsWith("java.lang.IllegalStateException: outer\n\tat dev.howdah.internal.error.ErrorTextTest.")
                .contains(
                        "\nCaused by: java.io.IOException: inner\n\t",
                        "\nCaused by: java.util.NoSuchElementException: 7\n\t")
                .containsPattern("\n\t\\.\\.\\. \\d+ more");
        assertThat(error.isRegular()).isTrue();
        assertThat(ErrorText.withoutTrace(error.text())).isEqualTo(error.line());
    }

    @Test
    void line_withoutMessage_isTheClass() {
        assertThat(ErrorText.line(new NoSuchElementException())).isEqualTo("java.util.NoSuchElementException");
        assertThat(ErrorText.of(new NoSuchElementException(" \n"), "late: ", true)
                        .line())
                .isEqualTo("late: java.util.NoSuchElementException");
    }

    @Test
    void line_ofSeveralLines_isOne() {
        Throwable thrown = new IllegalStateException("ERROR: no\n  Detail: none\r\n\u0007end\u001b[0m");
        assertThat(ErrorText.line(thrown))
                .isEqualTo("java.lang.IllegalStateException: ERROR: no; Detail: none; \\x07end\\x1B[0m");
    }

    @Test
    void message_isLong_lineIsCutAndMessageFollows() {
        String message = "word ".repeat(300) + "end";
        ErrorText error = ErrorText.of(new IllegalStateException(message));
        assertThat(error.line()).hasSize(1_003).endsWith("...");
        assertThat(error.text()).contains("\n" + message + "\n\tat ");
    }

    @ParameterizedTest
    @EnumSource(HostileException.Way.class)
    void throwable_isHostile_isRenderedAllTheSame(HostileException.Way way) {
        HostileException thrown = new HostileException(way);
        for (Throwable each : new Throwable[] {
            thrown,
            new RuntimeException("wrapped", thrown) {
                @Override
                public String toString() {
                    return "wrapped";
                }
            }
        }) {
            ErrorText error = ErrorText.of(each);
            assertThat(error.text())
                    .contains(HostileException.class.getName())
                    .hasSizeLessThanOrEqualTo(ErrorText.LONGEST + 3)
                    .doesNotContain("\0")
                    .isEqualTo(ErrorText.storable(error.text()));
            assertThat(error.line()).doesNotContain("\n").hasSizeLessThanOrEqualTo(1_003);
        }
    }

    @Test
    void causes_areMany_firstAndLastAreShown() {
        assertThat(ErrorText.of(new HostileException(HostileException.Way.CAUSES_ARE_MANY))
                        .isRegular())
                .isFalse();
        Throwable thrown = new IllegalStateException("the root");
        for (int i = 0; i < 30; i++) thrown = new IllegalStateException("level " + i, thrown);
        assertThat(ErrorText.of(thrown).text())
                .contains("level 29", "level 28", "\n... 22 causes", "level 0", "the root")
                .doesNotContain("level 15");
    }

    @Test
    void storable_replacesWhatPostgresRefuses() {
        assertThat(ErrorText.storable("a\0b\uD83D\uDE00c\uD83Dd\uDE00"))
                .isEqualTo("a\uFFFDb\uD83D\uDE00c\uFFFDd\uFFFD");
        assertThat(ErrorText.ascii("a€\uD83D\uDE00\n")).isEqualTo("a??\n");
        String plain = "plain";
        assertThat(ErrorText.storable(plain)).isSameAs(plain);
        // A cut between the halves of a character leaves none of them.
        assertThat(ErrorText.of("x".repeat(ErrorText.LONGEST - 1) + "\uD83D\uDE00")
                        .text())
                .isEqualTo("x".repeat(ErrorText.LONGEST - 1) + "...");
    }

    @Test
    void reason_isKeptAsItIs_lineIsItsFirst() {
        ErrorText error = ErrorText.of("first\nsecond");
        assertThat(error.text()).isEqualTo("first\nsecond");
        assertThat(error.line()).isEqualTo("first; second");
        assertThat(ErrorText.of(new IllegalStateException("a"))
                        .with("; and more")
                        .text())
                .startsWith("java.lang.IllegalStateException: a; and more\n\tat ");
    }
}
