package dev.howdah.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.daemon.config.PgTaskJson.Entry;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** pg_task.json: what is understood, and what is said about the rest. */
class PgTaskJsonTest {
    @org.junit.jupiter.api.Test
    void parse_everyKey_isUnderstood() throws PgTaskJson.Invalid {
        assertThat(PgTaskJson.parse("[{\"data\":\"d\",\"user\":\"We \\\"ird\",\"schema\":\"s\",\"table\":\"t\","
                        + "\"sleep\":10,\"reset\":\"1 min\",\"run\":2,\"spi\":true}, {}]"))
                .containsExactly(
                        new Entry("d", "We \"ird", "s", "t", 10, "1 min", 2),
                        new Entry(null, null, null, null, null, null, null));
        assertThat(PgTaskJson.parse("[]")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{}|it has to be an array of objects, such as [{\"data\":\"shop\"}]",
                "[1]|entry 1 has to be an object, such as {\"data\":\"shop\"}, not 1",
                "[{},{\"tabel\":\"x\"}]|entry 2: there is no key \"tabel\": did you mean \"table\"?",
                "[{\"data\":1}]|entry 1: \"data\" has to be a string, not 1",
                "[{\"data\":\"\"}]|entry 1: \"data\" has to be a name, not \"\"",
                "[{\"run\":-1}]|entry 1: \"run\" has to be a number from 0 to 2147483647, not -1",
                "[{\"sleep\":\"10\"}]|entry 1: \"sleep\" has to be a number from 0 to 2147483647, not \"10\"",
                "[{\"spi\":1}]|entry 1: \"spi\" has to be true or false, not 1",
                "[{\"run\":1,\"run\":2}]|entry 1: \"run\" stands there twice",
                "[{\"data\":\"a\"}|it is no JSON: ",
                "[] x|it is no JSON: ",
            })
    void parse_whatIsWrong_isSaidWithItsPlace(String text, String message) {
        assertThatThrownBy(() -> PgTaskJson.parse(text))
                .isInstanceOf(PgTaskJson.Invalid.class)
                .hasMessageStartingWith(message);
    }
}
