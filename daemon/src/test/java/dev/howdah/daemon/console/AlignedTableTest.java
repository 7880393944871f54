package dev.howdah.daemon.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is expected here is what psql 15 prints for the same values. */
class AlignedTableTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    private static AlignedTable.Column left(String name) {
        return new AlignedTable.Column(name, false);
    }

    private static AlignedTable.Column right(String name) {
        return new AlignedTable.Column(name, true);
    }

    private static List<@Nullable String> row(@Nullable String... values) {
        return Arrays.asList(values);
    }

    private String printed() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void table_numbersAndTexts_areAligned() {
        AlignedTable table = AlignedTable.ofResult(out, List.of(right("n"), left("text"), left("last")));
        table.row(row("1", "x", "abc"));
        table.row(row("-22", null, null));
        table.end();
        assertThat(printed())
                .isEqualTo("  n  | text | last \n-----+------+------\n   1 | x    | abc\n -22 |      | \n(2 rows)\n\n");
    }

    @Test
    void table_linesTabsWideAndControlCharacters_keepTheirColumns() {
        AlignedTable table = AlignedTable.ofResult(out, List.of(left("héé"), left("w"), left("last")));
        table.row(row("a\nb", "日本", "x\ty\u0007\r"));
        table.end();
        assertThat(printed())
                .isEqualTo(" héé |  w   |      last       \n-----+------+-----------------\n"
                        + " a  +| 日本 | x       y\\x07\\r\n b   |      | \n(1 row)\n\n");
    }

    @Test
    void listing_valuesOfSeveralLines_keepTheirRowsInOneLine() {
        AlignedTable table = AlignedTable.ofList(out, List.of(left("queue"), left("last")));
        table.row(row("a\n 9 | done\u001b[2J", "x\ty\r\u202e"));
        table.end();
        assertThat(printed())
                .isEqualTo("        queue        |     last     \n---------------------+--------------\n"
                        + " a\\n 9 | done\\x1B[2J | x\\ty\\r\\u202E\n(1 row)\n\n");
    }

    @Test
    void table_noRowsOrNoColumns_saysSo() {
        AlignedTable empty = AlignedTable.ofResult(out, List.of(left("a")));
        empty.end();
        AlignedTable narrow = AlignedTable.ofResult(out, List.of());
        narrow.row(row());
        narrow.end();
        assertThat(printed()).isEqualTo(" a \n---\n(0 rows)\n\n--\n(1 row)\n\n");
    }

    @Test
    void table_moreRowsThanItLooksAt_printsThemAsTheyCome() {
        AlignedTable table = AlignedTable.ofResult(out, List.of(right("n"), left("x")));
        for (int i = 0; i < 1_500; i++) table.row(row(Integer.toString(i * 10), "y"));
        assertThat(printed()).endsWith("\n 14990 | y\n").startsWith("  n   | x \n------+---\n    0 | y\n");
        table.end();
        assertThat(printed()).endsWith("(1500 rows)\n\n");
    }
}
