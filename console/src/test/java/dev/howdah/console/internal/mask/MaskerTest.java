package dev.howdah.console.internal.mask;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is taken for a secret in a text. */
class MaskerTest {
    private final Masker masker = Masker.standard();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "postgresql://ann:s3cret@db.example/shop | postgresql://ann:***@db.example/shop",
                "host=db password=s3cret user=ann | host=db password=*** user=ann",
                "host=db password='a b\\'c' user=ann | host=db password=*** user=ann",
                "{\"user\": 7, \"Password\": \"a\\\"b\", \"x\": 1} | {\"user\": 7, \"Password\": \"***\", \"x\": 1}",
                "{\"accessToken\":{\"a\":[1,\"}\"]},\"x\":1} | {\"accessToken\":\"***\",\"x\":1}",
                "{\"api_key\": 12345, \"b\": 2} | {\"api_key\": \"***\", \"b\": 2}",
                "{\"secret\": \"cut off in the mid | {\"secret\": \"***\"",
                "https://x.example/?token=abc&page=2 | https://x.example/?token=***&page=2",
                "Authorization: Bearer abcdef012345 | Authorization: Bearer ***",
                "hd_0123456789abcdef0123456789abcdef01234567 x | *** x",
                "paid with 4111 1111 1111 1111 today | paid with *** today",
                "cut: postgresql://ann:s3cre… | cut: postgresql://ann:***@"
            })
    void secret_inAText_isMasked(String text, String shown) {
        assertThat(masker.text(text)).isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1 + 1",
                "http://127.0.0.1:8080/tasks",
                "http://127.0.0.1:8080",
                "{\"max_tokens\": 100, \"discarded\": true, \"secretary\": \"Ann\"}",
                "1732612345678901",
                "order 4111111111111112",
                "passed 5 of 6; bypass = 1"
            })
    void text_withoutASecret_staysAsItIs(String text) {
        assertThat(masker.text(text)).isEqualTo(text);
    }

    @Test
    void ownRules_areAppliedToo() {
        Masker own = Masker.with(List.of("patient"), List.of("KD-\\d+"));
        assertThat(own.text("{\"patientName\": \"Ann\"} KD-4711")).isEqualTo("{\"patientName\": \"***\"} ***");
        assertThatThrownBy(() -> Masker.with(List.of(), List.of("(")))
                .hasMessageContaining("\"(\" is no regular expression");
    }

    @Test
    void longHostileText_isMaskedSoon() {
        String hostile = "\"".repeat(100_000) + "pass-".repeat(100_000) + "://".repeat(50_000) + "4111 ".repeat(50_000);
        assertThat(masker.text(hostile)).isNotEmpty();
    }
}
