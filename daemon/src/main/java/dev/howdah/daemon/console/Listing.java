package dev.howdah.daemon.console;

import dev.howdah.operations.list.BoundedCount;
import dev.howdah.operations.list.ListColumn;
import dev.howdah.operations.list.ListItem;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import dev.howdah.operations.store.CsvLine;
import dev.howdah.operations.value.Moments;
import dev.howdah.operations.value.Periods;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The columns of rows of one type, printed as a table, as CSV or as a JSON object for each row. Not safe for use by many threads while
 * columns are added.
 */
public final class Listing<T> {
    /** From how many characters on a terminal is wide. */
    static final int WIDE = 120;

    private static final int LINE = 60;

    /** How rows are printed. */
    public enum Form {
        TABLE,
        JSON,
        CSV
    }

    private final List<Column<T>> columns = new ArrayList<>();
    private List<Column<T>> wide = List.of();
    private List<Column<T>> more = List.of();

    /**
     * A column.
     *
     * @param value of a row, of the types of {@link Json#line}
     * @param shown the value that a table has instead
     */
    private record Column<T>(
            AlignedTable.Column heading,
            Function<T, ? extends @Nullable Object> value,
            Function<T, ? extends @Nullable Object> shown) {
        String name() {
            return heading.name();
        }
    }

    /** The columns of a declared list. */
    public static <T> Listing<T> of(ListItem<T> item) {
        Listing<T> listing = new Listing<>();
        for (ListColumn<T> each : item.columns()) {
            boolean isRight = switch (each.field().type()) {
                case ID, INTEGER, NUMBER -> true;
                default -> each.field().shape() == Shape.COUNT;
            };
            Function<T, @Nullable Object> value =
                    row -> ofItem(each, each.value().apply(row));
            listing.columns.add(new Column<>(
                    new AlignedTable.Column(each.name(), isRight),
                    value,
                    each.mask() == ListColumn.Mask.SECRETS ? row -> line(value.apply(row)) : value));
        }
        listing.wide = listing.ranked(item, ListColumn.Rank.WIDE);
        listing.more = Stream.of(ListColumn.Rank.MORE, ListColumn.Rank.DETAIL)
                .flatMap(rank -> listing.ranked(item, rank).stream())
                .toList();
        return listing;
    }

    private List<Column<T>> ranked(ListItem<T> item, ListColumn.Rank rank) {
        return item.columns().stream()
                .filter(each -> each.rank() == rank)
                .map(each -> named(each.name()))
                .toList();
    }

    private static @Nullable Object ofItem(ListColumn<?> column, @Nullable Object value) {
        ListItem<?> item = column.item();
        if (item != null && value instanceof List<?> rows)
            return rows.stream().map(each -> nested(item, each)).toList();
        if (value instanceof Enum<?> constant) return ListModel.word(constant);
        if (value instanceof BoundedCount count) return count.isExact() ? (Object) count.value() : count.toString();
        if (value instanceof String text && column.field().type() == FieldType.JSON) return document(text);
        if (value instanceof String text && column.mask() == ListColumn.Mask.ADDRESS) return Secrets.hidden(text);
        return value;
    }

    private static <S> Map<String, @Nullable Object> nested(ListItem<S> item, Object row) {
        @SuppressWarnings("unchecked") // A column is declared with objects of its item.
        S typed = (S) row;
        return of(item).fields(typed);
    }

    private static Object document(String text) {
        try {
            Json.text(new Json.Document(text));
            return new Json.Document(text);
        } catch (UncheckedIOException e) {
            return text;
        }
    }

    /** A value on one line of a table. */
    private static @Nullable Object line(@Nullable Object value) {
        String plain = plain(value);
        if (plain == null) return null;
        String text = plain.replaceAll("\\s+", " ").strip();
        return text.codePointCount(0, text.length()) <= LINE
                ? text
                : text.substring(0, text.offsetByCodePoints(0, LINE)) + "…";
    }

    public Listing<T> text(String name, Function<T, ? extends @Nullable Object> value) {
        columns.add(new Column<>(new AlignedTable.Column(name, false), value, value));
        return this;
    }

    /** Values that stand at the right. */
    public Listing<T> number(String name, Function<T, ? extends @Nullable Number> value) {
        columns.add(new Column<>(new AlignedTable.Column(name, true), value, value));
        return this;
    }

    /** Gives the last column another value in tables. */
    public Listing<T> shown(Function<T, ? extends @Nullable Object> shown) {
        Column<T> last = columns.remove(columns.size() - 1);
        columns.add(new Column<>(last.heading(), last.value(), shown));
        return this;
    }

    /**
     * Leaves columns out of tables where the terminal has less than 120 characters in a line.
     *
     * @param names of these columns, with blanks between them
     */
    public Listing<T> wide(String names) {
        wide = named(List.of(names.split(" ", -1)));
        return this;
    }

    /** Leaves columns out of tables that do not name them; as {@link #wide}. */
    public Listing<T> more(String names) {
        more = named(List.of(names.split(" ", -1)));
        return this;
    }

    /** The values of a row by the names of their columns. */
    public Map<String, @Nullable Object> fields(T row) {
        return fields(row, columns);
    }

    private Map<String, @Nullable Object> fields(T row, List<Column<T>> chosen) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        for (Column<T> each : chosen) fields.put(each.name(), each.value().apply(row));
        return fields;
    }

    /** A value as PostgreSQL shows it; null for null. */
    public static @Nullable String shown(@Nullable Object value) {
        if (value instanceof Boolean bool) return bool ? "t" : "f";
        if (value instanceof Double number) return Double.toString(Math.round(number * 10) / 10.0);
        // What ran for microseconds is of no interest at a terminal.
        if (value instanceof Duration period) return Periods.words(period.truncatedTo(ChronoUnit.MILLIS));
        return value instanceof Instant instant ? Times.server(instant) : plain(value);
    }

    private static @Nullable Object cell(@Nullable Object value) {
        return value instanceof Number ? value : plain(value);
    }

    private static @Nullable String plain(@Nullable Object value) {
        if (value == null) return null;
        if (value instanceof Json.Document document) return document.text();
        if (value instanceof Instant instant) return Moments.text(instant);
        if (value instanceof Map<?, ?>) return Json.text(value);
        if (value instanceof List<?> list)
            return list.stream()
                    .map(each -> each instanceof String text ? text : Json.text(each))
                    .collect(Collectors.joining(", "));
        return value.toString();
    }

    /**
     * Begins to print rows.
     *
     * @param names of columns, in the order in which they are printed; null: those of the form
     * @throws CliException if there is no column of such a name
     */
    public Rows to(Terminal terminal, Form form, @Nullable List<String> names) {
        return new Rows(terminal, form, names == null ? usual(terminal, form) : named(names));
    }

    private List<Column<T>> usual(Terminal terminal, Form form) {
        if (form != Form.TABLE) return columns;
        // The terminal is asked by programs that take time: only where the answer makes a difference.
        boolean narrow =
                !wide.isEmpty() && terminal.outIsScreen() && terminal.width().getAsInt() < WIDE;
        return columns.stream()
                .filter(each -> !more.contains(each) && !(narrow && wide.contains(each)))
                .toList();
    }

    private List<Column<T>> named(List<String> names) {
        return names.stream().distinct().map(this::named).toList();
    }

    private Column<T> named(String name) {
        return columns.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> CliException.usage("--columns: there is no column \"" + name + "\", but "
                        + columns.stream().map(Column::name).collect(Collectors.joining(", "))));
    }

    /** Begins to print rows as JSON, or a table. */
    public Rows to(Terminal terminal, boolean json) {
        return to(terminal, json ? Form.JSON : Form.TABLE, null);
    }

    /** Prints these rows as JSON, or a table. */
    public void print(Terminal terminal, boolean json, List<T> rows) {
        to(terminal, json).print(rows);
    }

    /** Rows that are being printed. */
    public final class Rows {
        private final Terminal terminal;
        private final Form form;
        private final List<Column<T>> chosen;
        private final @Nullable AlignedTable table;
        private boolean begun;

        private Rows(Terminal terminal, Form form, List<Column<T>> chosen) {
            this.terminal = terminal;
            this.form = form;
            this.chosen = chosen;
            this.table = form != Form.TABLE
                    ? null
                    : AlignedTable.ofList(
                            terminal.out(), chosen.stream().map(Column::heading).toList());
        }

        private void heading() {
            if (form == Form.CSV && !begun)
                terminal.out().print(CsvLine.of(chosen.stream().map(Column::name)));
            begun = true;
        }

        public void add(T row) {
            heading();
            if (table != null)
                table.row(chosen.stream()
                        .map(each -> Listing.shown(each.shown().apply(row)))
                        .collect(Collectors.toList()));
            else if (form == Form.JSON) terminal.out().println(Json.line(fields(row, chosen)));
            else
                terminal.out()
                        .print(CsvLine.of(
                                chosen.stream().map(each -> cell(each.value().apply(row)))));
        }

        /** Has to be called after the last row. */
        public void end() {
            heading();
            if (table != null) table.end();
        }

        /** Prints these rows, the only ones. */
        public void print(List<T> rows) {
            rows.forEach(this::add);
            end();
        }
    }
}
