package dev.howdah.daemon.cli.sql;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.internal.error.PlainText;
import dev.howdah.internal.wire.ServerMessage;
import dev.howdah.internal.wire.WireColumn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Prints results for programs: a line of JSON for each statement. */
final class JsonResults extends SqlResults {
    private static final int BOOL = 16;
    private static final Set<Integer> NUMBERS = Set.of(20, 21, 23, 26, 700, 701, 1700);
    private static final Set<Integer> DOCUMENTS = Set.of(114, 3802);
    private static final int ROWS_BETWEEN_CHECKS = 1_000;

    private List<WireColumn> columns = List.of();
    private List<String> names = List.of();
    private @Nullable JsonGenerator array;
    private @Nullable StringBuilder copied;
    private long rows;

    JsonResults(Terminal terminal, Charset charset) {
        super(terminal, charset);
    }

    @Override
    public void columns(List<WireColumn> described) {
        columns = described;
        names = distinct(described);
        try {
            array = Json.to(terminal.out());
            array.writeStartArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The names of the columns, numbered where they come again, so that no value hides another. */
    private static List<String> distinct(List<WireColumn> columns) {
        Set<String> taken = new HashSet<>();
        List<String> names = new ArrayList<>();
        for (WireColumn column : columns) {
            String name = column.name();
            for (int n = 2; !taken.add(name); n++) name = column.name() + "_" + n;
            names.add(name);
        }
        return names;
    }

    @Override
    public void row(byte[] buffer, int[] offsets, int[] lengths) {
        JsonGenerator json = array;
        if (json == null) return;
        try {
            json.writeStartObject();
            for (int i = 0; i < lengths.length; i++) {
                json.writeFieldName(names.get(i));
                write(json, columns.get(i).typeOid(), value(buffer, offsets, lengths, i));
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (++rows % ROWS_BETWEEN_CHECKS == 0) SqlCommand.check(terminal.out());
    }

    private static void write(JsonGenerator json, int type, @Nullable String value) throws IOException {
        if (value == null) json.writeNull();
        else if (type == BOOL) json.writeBoolean(value.equals("t"));
        else if (DOCUMENTS.contains(type)) Json.copy(value, json);
        // NaN and Infinity are numbers to PostgreSQL and not to JSON.
        else if (NUMBERS.contains(type) && Character.isDigit(value.charAt(value.length() - 1))) json.writeNumber(value);
        else json.writeString(value);
    }

    @Override
    public void copyData(byte[] buffer, int offset, int length) {
        if (copied == null) copied = new StringBuilder();
        copied.append(text(buffer, offset, length));
    }

    @Override
    public void complete(String tag) {
        super.complete(tag);
        if (array != null) endArray();
        else if (copied != null) line(Map.of("copy", copied.toString()));
        else line(Map.of("tag", tag));
        copied = null;
        SqlCommand.check(terminal.out());
    }

    private void endArray() {
        JsonGenerator json = array;
        array = null;
        if (json == null) return;
        try {
            // Closes what is still open: the row that an error cut off ends where it is.
            json.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        terminal.out().print('\n');
    }

    @Override
    public void error(ServerMessage message) {
        super.error(message);
        if (array != null) endArray();
        copied = null;
        Map<String, @Nullable Object> error = new LinkedHashMap<>();
        error.put("severity", message.severity());
        error.put("code", message.code());
        error.put("message", message.message());
        error.put("detail", message.detail());
        error.put("hint", message.hint());
        error.put("position", message.position() > 0 ? message.position() : null);
        error.put("context", message.where());
        error.values().removeIf(v -> v == null);
        line(Map.of("error", error));
        terminal.out().flush();
        terminal.err().println("howdah: " + message.severity() + ": " + PlainText.of(message.message()));
    }

    private void line(Map<String, ? extends @Nullable Object> object) {
        terminal.out().print(Json.line(object) + "\n");
    }
}
