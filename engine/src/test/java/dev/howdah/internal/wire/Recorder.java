package dev.howdah.internal.wire;

import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Writes down what a server answers, an event to a line. */
class Recorder implements WireListener {
    final List<String> events = new ArrayList<>();
    final List<ServerMessage> errors = new ArrayList<>();
    private final Supplier<Charset> charset;

    Recorder(Supplier<Charset> charset) {
        this.charset = charset;
    }

    @Override
    public void columns(List<WireColumn> columns) {
        events.add(columns.stream()
                .map(c -> c.name() + ":" + c.typeOid())
                .collect(Collectors.joining(",", "columns ", "")));
    }

    @Override
    public void row(byte[] buffer, int[] offsets, int[] lengths) {
        StringBuilder row = new StringBuilder("row");
        for (int i = 0; i < offsets.length; i++)
            row.append(i == 0 ? ' ' : '|')
                    .append(lengths[i] < 0 ? "NULL" : new String(buffer, offsets[i], lengths[i], charset.get()));
        events.add(row.toString());
    }

    @Override
    public void complete(String tag) {
        events.add(tag);
    }

    @Override
    public void empty() {
        events.add("empty");
    }

    @Override
    public void error(ServerMessage message) {
        errors.add(message);
        events.add(message.toString());
    }

    @Override
    public void notice(ServerMessage message) {
        events.add(message.toString());
    }

    @Override
    public void copyData(byte[] buffer, int offset, int length) {
        events.add("data " + new String(buffer, offset, length, charset.get()).strip());
    }
}
