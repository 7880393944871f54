package dev.howdah.daemon.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.internal.wire.ServerMessage;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MessageTextTest {
    @Test
    void error_withPosition_marksThePlaceInItsLine() {
        ServerMessage error =
                new ServerMessage(Map.of('S', "ERROR", 'M', "no such thing", 'P', "16", 'H', "Try another."));
        assertThat(MessageText.of(error, "SELECT 1,\n日本 , nope FROM t"))
                .isEqualTo("ERROR:  no such thing\nLINE 2: 日本 , nope FROM t\n               ^\nHINT:  Try another.\n");
    }

    @Test
    void error_farOutInALongLine_showsThatPart() {
        String sql = "SELECT " + "a, ".repeat(100) + "nope, " + "b, ".repeat(100) + "c";
        ServerMessage error =
                new ServerMessage(Map.of('S', "ERROR", 'M', "m", 'P', Integer.toString(sql.indexOf("nope") + 1)));
        String[] lines = MessageText.of(error, sql).split("\n");
        assertThat(lines[1]).startsWith("LINE 1: ...").endsWith("...").hasSizeLessThan(80);
        assertThat(lines[1].substring(lines[2].indexOf('^'))).startsWith("nope");
    }

    @Test
    void error_positionBeyondTheText_isLeftOut() {
        ServerMessage error = new ServerMessage(Map.of('S', "ERROR", 'M', "m", 'P', "99"));
        assertThat(MessageText.of(error, "SELECT")).isEqualTo("ERROR:  m\n");
    }
}
