package dev.howdah.daemon.console;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The columns of rows of one type, printed as a table or as a JSON object for each. Not safe for use by many threads. */
public final class Listing<T> {
    private final List<Column<T>> columns = new ArrayList<>();

    /** A column and how a row gives its value: of the types of {@link Json#line}. */
    private record Column<T>(AlignedTable.Column heading, Function<T, ? extends @Nullable Object> value) {}

    public Listing<T> text(String name, Function<T, ? extends @Nullable Object> value) {
        columns.add(new Column<>(new AlignedTable.Column(name, false), value));
        return this;
    }

    public Listing<T> number(String name, Function<T, ? extends @Nullable Number> value) {
        columns.add(new Column<>(new AlignedTable.Column(name, true), value));
        return this;
    }

    /** The values of a row by the names of their columns. */
    public Map<String, @Nullable Object> fields(T row) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        for (Column<T> each : columns)
            fields.put(each.heading().name(), each.value().apply(row));
        return fields;
    }

    /** A value as PostgreSQL shows it; null for null. */
    public static @Nullable String shown(@Nullable Object value) {
        if (value == null) return null;
        if (value instanceof Json.Document document) return document.text();
        if (value instanceof Instant instant) return Times.server(instant);
        if (value instanceof Boolean bool) return bool ? "t" : "f";
        if (value instanceof List<?> list)
            return list.stream().map(Json::text).collect(Collectors.joining(", ", "[", "]"));
        return value.toString();
    }

    /** Begins to print rows. */
    public Rows to(Terminal terminal, boolean json) {
        return new Rows(terminal, json);
    }

    /** Prints these rows. */
    public void print(Terminal terminal, boolean json, List<T> rows) {
        Rows printed = to(terminal, json);
        rows.forEach(printed::add);
        printed.end();
    }

    /** Rows that are being printed. */
    public final class Rows {
        private final Terminal terminal;
        private final @Nullable AlignedTable table;

        private Rows(Terminal terminal, boolean json) {
            this.terminal = terminal;
            this.table = json
                    ? null
                    : AlignedTable.ofList(
                            terminal.out(),
                            columns.stream().map(Column::heading).toList());
        }

        public void add(T row) {
            Map<String, @Nullable Object> fields = fields(row);
            if (table == null) {
                terminal.out().println(Json.line(fields));
                return;
            }
            List<@Nullable String> cells = new ArrayList<>();
            for (Object each : fields.values()) cells.add(shown(each));
            table.row(cells);
        }

        /** Has to be called after the last row. */
        public void end() {
            if (table != null) table.end();
        }
    }
}
