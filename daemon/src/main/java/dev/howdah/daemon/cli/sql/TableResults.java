package dev.howdah.daemon.cli.sql;

import dev.howdah.daemon.console.AlignedTable;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.internal.error.PlainText;
import dev.howdah.internal.wire.ServerMessage;
import dev.howdah.internal.wire.WireColumn;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prints results for people. */
final class TableResults extends SqlResults {
    private static final int ROWS_BETWEEN_CHECKS = 1_000;

    private final String sql;
    private @Nullable AlignedTable table;
    private boolean copied;
    private long rows;

    TableResults(Terminal terminal, Charset charset, String sql) {
        super(terminal, charset);
        this.sql = sql;
    }

    @Override
    public void columns(List<WireColumn> columns) {
        table = AlignedTable.ofResult(
                terminal.out(),
                columns.stream()
                        .map(c -> new AlignedTable.Column(c.name(), isNumber(c.typeOid())))
                        .toList());
    }

    @Override
    public void row(byte[] buffer, int[] offsets, int[] lengths) {
        if (table == null) return;
        List<@Nullable String> values = new ArrayList<>(lengths.length);
        for (int i = 0; i < lengths.length; i++) values.add(value(buffer, offsets, lengths, i));
        table.row(values);
        if (++rows % ROWS_BETWEEN_CHECKS == 0) SqlCommand.check(terminal.out());
    }

    @Override
    public void copyData(byte[] buffer, int offset, int length) {
        copied = true;
        terminal.out().print(text(buffer, offset, length));
        if (++rows % ROWS_BETWEEN_CHECKS == 0) SqlCommand.check(terminal.out());
    }

    @Override
    public void complete(String tag) {
        super.complete(tag);
        boolean hadRows = table != null;
        boolean told = hadRows ? rowsOnly(tag) : copied;
        if (table != null) table.end();
        table = null;
        copied = false;
        if (!told) terminal.out().println(PlainText.of(tag));
        SqlCommand.check(terminal.out());
    }

    @Override
    public void error(ServerMessage message) {
        super.error(message);
        table = null;
        terminal.out().flush();
        terminal.err().print(MessageText.of(message, sql));
        terminal.err().flush();
    }
}
