package dev.howdah.internal.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NameTextTest {
    @ParameterizedTest
    @ValueSource(strings = {"mail", "a b", "größe", "שלום\u200f", "\u200b", "日本", "😀", "\"';--", "a/b", "\ufeff"})
    void name_ofOtherCharacters_isRight(String name) {
        assertThat(NameText.check("a key", name)).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 9, 0xA, 0xD, 0x1B, 0x1F, 0x7F, 0x80, 0x9F, 0x2028, 0x202A, 0x202E, 0x2066, 0x2069})
    void name_withAControlOrADirection_isRefusedWithItsCodeAndPosition(int c) {
        assertThatThrownBy(() -> NameText.check("the name of a queue", "😀a" + Character.toString(c) + "b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(String.format(
                        "the name of a queue has the character U+%04X at position 3: it can have no control"
                                + " characters, and none that change the direction of writing",
                        c));
    }

    @Test
    void objection_ofANameWithout_isNone() {
        assertThat(NameText.objection("")).isNull();
        assertThat(NameText.objection("\u202f\u2070\u00a0 ~")).isNull();
    }
}
