package dev.howdah.daemon.cli.sql;

import dev.howdah.daemon.console.Terminal;
import dev.howdah.internal.wire.ServerMessage;
import dev.howdah.internal.wire.WireListener;
import java.nio.charset.Charset;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Prints what the server answers. For one query on one thread. */
abstract class SqlResults implements WireListener {
    /** int8, int2, int4, oid, float4, float8, money, numeric: printed at the right. */
    private static final Set<Integer> AT_THE_RIGHT = Set.of(20, 21, 23, 26, 28, 29, 700, 701, 790, 1700, 5069);

    /** Commands that are answered by rows, after which psql prints no tag. */
    private static final Set<String> ROWS_ONLY =
            Set.of("SELECT", "SHOW", "EXPLAIN", "FETCH", "EXECUTE", "TABLE", "VALUES");

    private static final Set<String> OF_TRANSACTIONS = Set.of("BEGIN", "START", "COMMIT", "ROLLBACK", "PREPARE");

    final Terminal terminal;
    private final Charset charset;
    private boolean failed;
    /** Statements that have changed something, and whether one was about transactions. */
    private int done;

    private boolean ownTransactions;

    SqlResults(Terminal terminal, Charset charset) {
        this.terminal = terminal;
        this.charset = charset;
    }

    final boolean failed() {
        return failed;
    }

    /** Returns whether one has failed after others, which were in the same transaction. */
    final boolean undone() {
        return failed && done > 0 && !ownTransactions;
    }

    static boolean isNumber(int typeOid) {
        return AT_THE_RIGHT.contains(typeOid);
    }

    /** Returns whether a statement with rows and that tag is told by its rows alone. */
    static boolean rowsOnly(String tag) {
        return ROWS_ONLY.contains(tag.split(" ", 2)[0]);
    }

    final String text(byte[] buffer, int offset, int length) {
        return new String(buffer, offset, length, charset);
    }

    final @Nullable String value(byte[] buffer, int[] offsets, int[] lengths, int i) {
        return lengths[i] < 0 ? null : text(buffer, offsets[i], lengths[i]);
    }

    @Override
    public void complete(String tag) {
        if (!rowsOnly(tag)) done++;
        ownTransactions |= OF_TRANSACTIONS.contains(tag.split(" ", 2)[0]);
    }

    @Override
    public void error(ServerMessage message) {
        failed = true;
    }

    @Override
    public void notice(ServerMessage message) {
        terminal.out().flush();
        terminal.err().print(MessageText.of(message, ""));
        terminal.err().flush();
    }
}
