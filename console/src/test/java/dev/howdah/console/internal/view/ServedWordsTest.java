package dev.howdah.console.internal.view;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServedWordsTest {
    @Test
    void served_isInWords() {
        assertThat(
                        ServedWords.of(
                                "{\"job\": {\"kinds\": [\"charge\", \"report\"], \"slots\": 10, \"limits\": [], \"queues\": [\"mail\"]}}"))
                .isEqualTo("queue mail; kinds charge, report; 10 at a time");
        assertThat(ServedWords.of("{\"process\": {\"order\": 100}}")).isEqualTo("namespace order, 100 at a time");
    }

    @Test
    void served_thatIsNotKnown_isShownAsItIs() {
        for (String each : new String[] {"", "no json", "[1]", "7"})
            assertThat(ServedWords.of(each)).isEqualTo(each);
        assertThat(ServedWords.of("{\"later\": [1]}")).isEqualTo("later [1]");
        assertThat(ServedWords.of("{\"job\": 1}")).isEmpty();
    }
}
