package dev.howdah.console.internal.view;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ErrorPositionTest {
    private static final String SQL = "SELECT 'ä', '\ud83d\ude00';\nSELECT wrong & 1";

    @Test
    void place_isCountedInCharacters() {
        ErrorPosition at =
                ErrorPosition.of("ERROR:  column \"wrong\" does not exist at character 25\nSTATEMENT:  ...", SQL);
        assertThat(at).isEqualTo(new ErrorPosition(SQL.indexOf("wrong"), 2, 8));
        assertThat(SqlColours.html(SQL, at)).contains("<mark class=\"sql-at\">wrong</mark> &amp; <span");
    }

    @Test
    void place_atTheEnd_isABlank() {
        ErrorPosition at = ErrorPosition.of("ERROR:  syntax error at end of input at character 8", "SELECT ");
        assertThat(at).isEqualTo(new ErrorPosition(7, 1, 8));
        assertThat(SqlColours.html("SELECT ", at)).endsWith("<mark class=\"sql-at\"> </mark>");
    }

    @Test
    void error_withoutAPlaceHere_marksNothing() {
        for (String error : new String[] {
            null,
            "ERROR:  no at character x",
            "ERROR:  a message at character 9 and more",
            "ERROR:  inner at character 8\nQUERY:  SELECT nothing",
            "ERROR:  too far at character 999999999",
            "ERROR:  zero at character 0",
            "ERROR:  division by zero\nSTATEMENT:  SELECT 1 at character 3"
        }) assertThat(ErrorPosition.of(error, SQL)).as(error).isNull();
    }

    @Test
    void mark_ofHostileText_isEscaped() {
        String sql = "SELECT \"<script>\"";
        ErrorPosition at = ErrorPosition.of("ERROR:  x at character 8", sql);
        assertThat(SqlColours.html(sql, at)).contains("&lt;script&gt;").doesNotContain("<script");
    }
}
