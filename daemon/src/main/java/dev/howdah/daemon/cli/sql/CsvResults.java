package dev.howdah.daemon.cli.sql;

import dev.howdah.daemon.console.Terminal;
import dev.howdah.internal.wire.ServerMessage;
import dev.howdah.internal.wire.WireColumn;
import dev.howdah.operations.store.CsvLine;
import java.math.BigDecimal;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Prints results for spreadsheets: the names of the columns, and a line for each row. What has no rows prints nothing. */
final class CsvResults extends SqlResults {
    private static final int ROWS_BETWEEN_CHECKS = 1_000;

    /** Not NaN, not money. */
    private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?");

    private final String sql;
    private List<WireColumn> columns = List.of();
    private long rows;

    CsvResults(Terminal terminal, Charset charset, String sql) {
        super(terminal, charset);
        this.sql = sql;
    }

    @Override
    public void columns(List<WireColumn> described) {
        columns = described;
        line(described.stream().map(WireColumn::name));
    }

    @Override
    public void row(byte[] buffer, int[] offsets, int[] lengths) {
        List<@Nullable Object> values = new ArrayList<>(lengths.length);
        for (int i = 0; i < lengths.length; i++) {
            String value = value(buffer, offsets, lengths, i);
            boolean number = value != null
                    && NUMBER.matcher(value).matches()
                    && isNumber(columns.get(i).typeOid());
            values.add(number ? new BigDecimal(Objects.requireNonNull(value)) : value);
        }
        line(values.stream());
        if (++rows % ROWS_BETWEEN_CHECKS == 0) SqlCommand.check(terminal.out());
    }

    @Override
    public void copyData(byte[] buffer, int offset, int length) {
        terminal.out().print(text(buffer, offset, length));
    }

    @Override
    public void complete(String tag) {
        super.complete(tag);
        SqlCommand.check(terminal.out());
    }

    @Override
    public void error(ServerMessage message) {
        super.error(message);
        terminal.out().flush();
        terminal.err().print(MessageText.of(message, sql));
        terminal.err().flush();
    }

    private void line(Stream<? extends @Nullable Object> values) {
        terminal.out().print(CsvLine.of(values));
    }
}
