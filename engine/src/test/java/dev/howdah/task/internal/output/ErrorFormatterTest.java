package dev.howdah.task.internal.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.internal.wire.ServerMessage;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each line, for each verbosity. */
class ErrorFormatterTest {
    private static final Map<Character, String> FULL = Map.ofEntries(
            Map.entry('S', "FEHLER"),
            Map.entry('V', "ERROR"),
            Map.entry('C', "22012"),
            Map.entry('M', "m1\nm2"),
            Map.entry('D', "d1\nd2"),
            Map.entry('H', "h"),
            Map.entry('p', "4"),
            Map.entry('q', "q1\nq2"),
            Map.entry('W', "w1\nw2"),
            Map.entry('F', "int.c"),
            Map.entry('L', "841"),
            Map.entry('R', "int4div"));

    private static String render(String verbosity, boolean statement, Map<Character, String> fields) {
        return new ErrorFormatter(verbosity, statement).render(new ServerMessage(fields), "SELECT\n1/0");
    }

    @Test
    void render_default_showsAllParts() {
        assertThat(render("default", true, FULL))
                .isEqualTo(
                        "FEHLER:  m1\n\tm2 at character 4\nDETAIL:  d1\n\td2\nHINT:  h\nQUERY:  q1\n\tq2\nCONTEXT:  w1\n\tw2"
                                + "\nSTATEMENT:  SELECT\n\t1/0");
    }

    @Test
    void render_terse_showsMessageAndStatement() {
        assertThat(render("terse", true, FULL))
                .isEqualTo("FEHLER:  m1\n\tm2 at character 4\nSTATEMENT:  SELECT\n\t1/0");
    }

    @Test
    void render_verbose_showsCodeAndLocation() {
        assertThat(render("verbose", false, FULL))
                .isEqualTo("FEHLER:  22012: m1\n\tm2 at character 4\nDETAIL:  d1\n\td2\nHINT:  h\nQUERY:  q1\n\tq2"
                        + "\nCONTEXT:  w1\n\tw2\nLOCATION:  int4div, int.c:841");
    }

    @Test
    void render_positionOfTheStatement_goesBeforeTheInternalOne() {
        Map<Character, String> fields = new HashMap<>(FULL);
        fields.put('P', "17");
        assertThat(render("terse", false, fields)).endsWith(" at character 17");
    }

    @Test
    void render_bareMessage_isOneLine() {
        assertThat(render("default", false, Map.of('S', "ERROR", 'C', "XX000", 'M', "m")))
                .isEqualTo("ERROR:  m");
    }

    @ParameterizedTest
    @CsvSource({"debug5, true", "notice, true", "error, true", "log, false", "fatal, false", "panic, false"})
    void of_minErrorStatement_decidesAboutTheStatement(String setting, boolean shown) {
        assertThat(ErrorFormatter.of("default", setting).withStatement()).isEqualTo(shown);
    }

    @Test
    void plain_messageOfOurOwn_hasTheSameForm() {
        assertThat(ErrorFormatter.plain("a\nb", "c\nd")).isEqualTo("ERROR:  a\n\tb\nDETAIL:  c\n\td");
        assertThat(ErrorFormatter.plain("a", null)).isEqualTo("ERROR:  a");
    }
}
