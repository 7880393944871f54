package dev.howdah.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parameters of statements in payloads are found where PostgreSQL finds them, and nowhere else. */
class NumberedParametersTest {
    @Test
    void parameters_severalInAnyOrder_becomeQuestionMarks() {
        NumberedParameters found = NumberedParameters.in("UPDATE t SET a = $2, b=a+$1 WHERE id=$2::int", true);
        assertThat(found.jdbc()).isEqualTo("UPDATE t SET a = ?, b=a+? WHERE id=?::int");
        assertThat(found.order()).isEqualTo(List.of(2, 1, 2));
        assertThat(found.highest()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT '$1 ?', E'\\'$1?', \"$1?\", $$ $1 ? $$, $x$ $1 $$ ? $x$",
                "SELECT a$1 -- $1 ?\n /* $1 ? /* $2 */ ? */ FROM t",
                "SELECT U&'$1', x'00', N'$1?'",
                "SELECT 'a'\n'$1?'",
            })
    void text_withoutParameters_staysAsItIs(String text) {
        NumberedParameters found = NumberedParameters.in(text, true);
        assertThat(found.jdbc()).isEqualTo(text);
        assertThat(found.order()).isEmpty();
    }

    @Test
    void questionMarks_operators_areDoubled() {
        assertThat(NumberedParameters.in("SELECT j ?| $1 OR j ? 'a?'", true).jdbc())
                .isEqualTo("SELECT j ??| ? OR j ?? 'a?'");
    }

    @Test
    void backslash_inAPlainString_meansWhatTheSessionSays() {
        assertThat(NumberedParameters.in("SELECT 'a\\', $1", true).order()).isEqualTo(List.of(1));
        assertThat(NumberedParameters.in("SELECT 'a\\', $1'", false).order()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"$0", "$65536", "$123456789012345678901"})
    void number_thatPostgresDoesNotTake_isRefused(String parameter) {
        assertThatThrownBy(() -> NumberedParameters.in("SELECT " + parameter, true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there is no parameter " + parameter + ": they are $1 to $65535");
    }
}
