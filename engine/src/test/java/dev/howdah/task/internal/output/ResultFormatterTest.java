package dev.howdah.task.internal.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.internal.wire.ServerMessage;
import dev.howdah.internal.wire.WireColumn;
import dev.howdah.task.internal.model.ClaimedTask;
import dev.howdah.task.internal.model.GroupKey;
import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What only a strange or a huge answer shows. */
class ResultFormatterTest {
    private static final OutputMemory MEMORY = new OutputMemory(8 * 1024 * 1024, Duration.ofSeconds(1));

    private static final int TEXT = 25;
    private final AtomicInteger overflows = new AtomicInteger();
    private Charset charset = StandardCharsets.UTF_8;

    private ResultFormatter text(char delimiter, char quote, char escape, boolean header) {
        ClaimedTask task = new ClaimedTask(
                1,
                new GroupKey("g", null),
                "",
                0,
                0,
                0,
                0,
                false,
                header,
                true,
                delimiter,
                escape,
                quote,
                "ø",
                false,
                false,
                false,
                0,
                null,
                0);
        return new ResultFormatter(
                task, () -> charset, MEMORY.new Outputs().begin(task.id()), overflows::incrementAndGet);
    }

    private static void columns(ResultFormatter text, String... names) {
        text.columns(Stream.of(names).map(name -> new WireColumn(name, TEXT)).toList());
    }

    private void row(ResultFormatter text, @Nullable String... values) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int[] offsets = new int[values.length];
        int[] lengths = new int[values.length];
        for (int i = 0; i < values.length; i++) {
            String value = values[i];
            offsets[i] = bytes.size();
            lengths[i] = value == null ? -1 : value.getBytes(charset).length;
            if (value != null) bytes.writeBytes(value.getBytes(charset));
        }
        text.row(bytes.toByteArray(), offsets, lengths);
    }

    @Test
    void output_nothingAppended_isNull() {
        ResultFormatter text = text('\t', '\0', '\0', true);
        assertThat(text.output()).isNull();
        columns(text, "a", "b");
        text.complete("SELECT 0");
        text.empty();
        assertThat(text.output()).isNull();
    }

    @Test
    void output_emptyRow_isEmptyText() {
        ResultFormatter text = text('\t', '\0', '\0', true);
        columns(text);
        text.row(new byte[0], new int[0], new int[0]);
        assertThat(text.output()).isEmpty();
    }

    @Test
    void output_tagAfterRows_belongsToTheNextStatement() {
        ResultFormatter text = text(',', '\0', '\0', true);
        columns(text, "a", "b");
        row(text, "1", null);
        text.complete("SELECT 1");
        text.complete("SET");
        assertThat(text.output()).isEqualTo("a,b\n1,ø\nSET");
    }

    @Test
    void output_otherCharset_becomesUtf8() {
        charset = StandardCharsets.ISO_8859_1;
        ResultFormatter text = text(';', '"', '"', false);
        columns(text, "a", "b");
        row(text, "ä\"", "ö");
        assertThat(text.output()).isEqualTo("\"ä\"\"\";\"ö\"");
    }

    @Test
    void output_bytesThatAreNoText_areReplaced() {
        ResultFormatter text = text(';', '\0', '\0', false);
        columns(text, "a");
        text.row(new byte[] {'a', (byte) 0xff, 'b'}, new int[] {0}, new int[] {3});
        assertThat(text.output()).isEqualTo("a\ufffdb");
    }

    @Test
    void copyData_lines_loseTheirEnds() {
        ResultFormatter text = text(';', '\0', '\0', true);
        byte[] data = "1\ta\n2\tb\n".getBytes(StandardCharsets.UTF_8);
        text.copyData(data, 0, 4);
        text.copyData(data, 4, 4);
        text.complete("COPY 2");
        assertThat(text.output()).isEqualTo("1\ta\n2\tb");
    }

    @Test
    void error_several_theFirstCounts() {
        ResultFormatter text = text(';', '\0', '\0', true);
        text.error(new ServerMessage(Map.of('M', "first")));
        text.error(new ServerMessage(Map.of('M', "second")));
        assertThat(text.error()).extracting(ServerMessage::message).isEqualTo("first");
    }

    @Test
    void output_beyondTheLimit_isDroppedAndToldOnce() {
        ResultFormatter text = text(';', '\0', '\0', true);
        byte[] megabyte = new byte[1024 * 1024];
        for (int i = 0; i < MEMORY.mostOfOne() / megabyte.length + 10; i++) text.copyData(megabyte, 0, megabyte.length);
        assertThat(text.overflow()).isEqualTo("output is larger than 4 MB, the most that one task may have here");
        assertThat(overflows).hasValue(1);
        assertThat(List.of(String.valueOf(text.output()).length())).allMatch(length -> length < 20 * megabyte.length);
    }
}
