package dev.howdah.daemon.cli.sql;

import dev.howdah.daemon.console.CliException;
import dev.howdah.internal.wire.ServerMessage;
import dev.howdah.internal.wire.WireColumn;
import dev.howdah.internal.wire.WireListener;
import java.util.Arrays;
import java.util.List;

/** Hands on some columns of each result, in an order of their own. For one query on one thread. */
final class ColumnChoice implements WireListener {
    private final List<String> names;
    private final WireListener to;
    private int[] places = {};
    private int[] offsets = {};
    private int[] lengths = {};

    ColumnChoice(List<String> names, WireListener to) {
        this.names = names;
        this.to = to;
    }

    @Override
    public void columns(List<WireColumn> described) {
        List<String> there = described.stream().map(WireColumn::name).toList();
        for (String each : names)
            if (!there.contains(each))
                throw CliException.usage(
                        "--columns: there is no column " + each + "; there are " + String.join(", ", there));
        places = names.stream().mapToInt(there::indexOf).toArray();
        offsets = new int[places.length];
        lengths = new int[places.length];
        to.columns(Arrays.stream(places).mapToObj(described::get).toList());
    }

    @Override
    public void row(byte[] buffer, int[] all, int[] allLengths) {
        for (int i = 0; i < places.length; i++) {
            offsets[i] = all[places[i]];
            lengths[i] = allLengths[places[i]];
        }
        to.row(buffer, offsets, lengths);
    }

    @Override
    public boolean leavesOut(int length) {
        return to.leavesOut(length);
    }

    @Override
    public void complete(String tag) {
        to.complete(tag);
    }

    @Override
    public void empty() {
        to.empty();
    }

    @Override
    public void error(ServerMessage message) {
        to.error(message);
    }

    @Override
    public void notice(ServerMessage message) {
        to.notice(message);
    }

    @Override
    public void copyData(byte[] buffer, int offset, int length) {
        to.copyData(buffer, offset, length);
    }
}
