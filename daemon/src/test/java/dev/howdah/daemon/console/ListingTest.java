package dev.howdah.daemon.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ListingTest {
    private static final Listing<Integer> LISTING = new Listing<Integer>()
            .number("id", row -> row)
            .text("name", row -> row == 1 ? "=1+1" : "a \"b\",\nc")
            .text("at", row -> row == 1 ? Instant.EPOCH : null)
            .text("days", row -> List.of("mon", "tue"))
            .shown(List::of)
            .number("depth", row -> -row)
            .wide("at")
            .more("depth");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private String printed(boolean isScreen, int width, Listing.Form form, String @Nullable ... names) {
        out.reset();
        PrintStream stream = new PrintStream(out, false, StandardCharsets.UTF_8);
        Terminal terminal = new Terminal(
                stream,
                stream,
                new ByteArrayInputStream(new byte[0]),
                Map.of(),
                () -> isScreen,
                () -> isScreen,
                () -> isScreen,
                () -> width);
        LISTING.to(terminal, form, names == null ? null : List.of(names)).print(List.of(1, 2));
        stream.flush();
        return out.toString(StandardCharsets.UTF_8);
    }

    private static final String @Nullable [] USUAL = null;

    @Test
    void table_hasTheColumnsThatTheTerminalHasRoomFor() {
        assertThat(printed(true, 119, Listing.Form.TABLE, USUAL)
                        .lines()
                        .findFirst()
                        .orElse(""))
                .matches(" id \\| +name +\\| days ");
        for (boolean isScreen : new boolean[] {true, false})
            assertThat(printed(isScreen, isScreen ? 120 : 80, Listing.Form.TABLE, USUAL)
                            .lines()
                            .findFirst()
                            .orElse(""))
                    .matches(" id \\| +name +\\| +at +\\| days ");
        assertThat(printed(true, 80, Listing.Form.TABLE, "depth", "at", "depth")
                        .lines()
                        .findFirst()
                        .orElse(""))
                .matches(" depth \\| +at +");
        assertThat(printed(false, 80, Listing.Form.TABLE, "days")).contains("\n 1\n 2\n(2 rows)");
    }

    @Test
    void csv_hasAllColumns_andNoFormulas() {
        assertThat(printed(false, 80, Listing.Form.CSV, USUAL))
                .isEqualTo("id,name,at,days,depth\r\n1,\"'=1+1\",1970-01-01T00:00:00Z,\"mon, tue\",-1\r\n"
                        + "2,\"a \"\"b\"\",\nc\",,\"mon, tue\",-2\r\n");
    }

    @Test
    void json_hasAllColumns_orThoseThatAreNamed() {
        assertThat(printed(true, 80, Listing.Form.JSON, USUAL))
                .startsWith(
                        "{\"id\":1,\"name\":\"=1+1\",\"at\":\"1970-01-01T00:00:00Z\",\"days\":[\"mon\",\"tue\"],\"depth\":-1}\n")
                .hasLineCount(2);
        assertThat(printed(true, 80, Listing.Form.JSON, "depth", "id"))
                .isEqualTo("{\"depth\":-1,\"id\":1}\n{\"depth\":-2,\"id\":2}\n");
    }

    @Test
    void columns_unknown_areRefused() {
        assertThatThrownBy(() -> printed(true, 80, Listing.Form.CSV, "id", "Name"))
                .isInstanceOf(CliException.class)
                .hasMessage("--columns: there is no column \"Name\", but id, name, at, days, depth");
        assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
    }
}
