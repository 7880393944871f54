package dev.howdah.daemon.cli.top.list;

import dev.howdah.daemon.console.Secrets;
import dev.howdah.health.Cause;
import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Engine;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Values;
import dev.howdah.operations.list.BoundedCount;
import dev.howdah.operations.list.ListColumn;
import dev.howdah.operations.list.ListItem;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import dev.howdah.operations.value.ChoiceValue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A declared list: its columns, its states and filters, and declared operations on its rows. */
abstract class TopList<R> implements TopView {
    private static final String ALL = "all";
    private static final int WIDEST = 30;

    private final Engine engine;
    private final ListModel<R> list;
    private final List<ListColumn<R>> columns;
    private final List<TopColumn> headings = new ArrayList<>();

    /**
     * @param item the columns of the list, with others that are for this one
     * @param shown the names of columns, the last of which takes what is left; behind a colon the rank of one that narrow terminals drop
     */
    TopList(Engine engine, ListModel<R> list, ListItem<R> item, String shown) {
        this.engine = engine;
        this.list = list;
        List<String> names = Arrays.asList(shown.split(" ", -1));
        this.columns =
                names.stream().map(each -> column(item, each.split(":", -1)[0])).toList();
        for (int i = 0; i < names.size(); i++) {
            int colon = names.get(i).indexOf(':');
            int rank = colon < 0 ? 0 : Integer.parseInt(names.get(i).substring(colon + 1));
            ListColumn<R> column = columns.get(i);
            String name = column.name().replace('_', ' ').toUpperCase(Locale.ROOT);
            headings.add(
                    i == names.size() - 1
                            ? TopColumn.rest(name, rank)
                            : isRight(column) ? TopColumn.number(name, rank) : TopColumn.text(name, rank, WIDEST));
        }
    }

    private static <R> ListColumn<R> column(ListItem<R> item, String name) {
        return item.columns().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no column " + name));
    }

    private static boolean isRight(ListColumn<?> column) {
        return switch (column.field().type()) {
            case ID, INTEGER, NUMBER, TIME, DURATION -> true;
            default -> column.field().shape() == Shape.COUNT;
        };
    }

    /** Numbers of the whole feature, on a line. */
    abstract String summary();

    /** Where the object is, and its id. */
    abstract TopRow row(R object, List<String> cells);

    /** The object as it is now. */
    abstract Optional<R> find(TopRow row);

    /** Why it does not run; empty: it is not asked. */
    abstract List<Cause> why(R object);

    /** Adds what belongs to an object and is no column of it. */
    void addMore(List<String> lines, R object) {}

    /** The names of the filter for text without a name of one before it; empty: a part of the id. */
    String textFilter() {
        return "";
    }

    private @Nullable Parameter<?> stateFilter() {
        return list.filters().stream()
                .filter(each -> each.name().equals("state"))
                .findFirst()
                .orElse(null);
    }

    @Override
    public final List<String> states() {
        Parameter<?> filter = stateFilter();
        if (filter == null || !(filter.type() instanceof ChoiceValue choice)) return List.of();
        String usual = filter.preset() == null ? ALL : String.valueOf(filter.preset());
        return Stream.concat(Stream.of(usual), choice.choices().stream())
                .distinct()
                .toList();
    }

    @Override
    public final TopPage read(String state, String filter, int limit, Instant now) {
        Map<String, String> given = new HashMap<>(Map.of("limit", Integer.toString(limit)));
        if (!state.isEmpty() && !state.equals(ALL)) given.put("state", state);
        List<String> words = new ArrayList<>();
        for (String word : filter.strip().split("\\s+", -1)) {
            int colon = word.indexOf(':');
            String name = word.substring(0, Math.max(0, colon));
            if (list.filters().stream().anyMatch(each -> each.name().equals(name)))
                given.put(name, word.substring(colon + 1));
            else words.add(word);
        }
        String text = String.join(" ", words);
        if (!textFilter().isEmpty()) given.put(textFilter(), text);
        List<R> rows;
        try {
            rows = list.read(list.call(engine, name -> null, given::get)).rows();
        } catch (IllegalArgumentException e) {
            return TopPage.of("The filter is wrong: " + e.getMessage());
        }
        return new TopPage(
                summary(),
                headings,
                rows.stream()
                        .map(each -> row(each, cells(each, now)))
                        .filter(each -> !textFilter().isEmpty() || each.id().contains(text))
                        .limit(limit)
                        .toList(),
                "There are no " + title().toLowerCase(Locale.ROOT)
                        + (given.containsKey("state") ? " in state " + state : "")
                        + (filter.isEmpty() ? "." : " that match."));
    }

    private List<String> cells(R row, Instant now) {
        return columns.stream()
                .map(each -> cell(each, each.value().apply(row), now))
                .toList();
    }

    /** @param now null: times are shown as they are */
    private static String cell(ListColumn<?> column, @Nullable Object value, @Nullable Instant now) {
        if (value == null) return "";
        if (value instanceof Instant time)
            return now == null ? String.valueOf(TopText.time(time)) : TopText.age(time, now);
        if (value instanceof Duration time) return TopText.duration(time);
        if (value instanceof BoundedCount count) return TopText.counted(count.value(), count.isExact());
        if (value instanceof Double number) return TopText.count(Math.round(number));
        if (value instanceof Number number && now != null && column.field().type() == FieldType.INTEGER)
            return TopText.count(number.longValue());
        if (value instanceof Enum<?> constant) return ListModel.word(constant);
        if (value instanceof List<?> many)
            return TopText.line(
                    String.join(", ", many.stream().map(String::valueOf).toList()));
        return TopText.line(
                column.mask() == ListColumn.Mask.ADDRESS ? Secrets.hidden(value.toString()) : value.toString());
    }

    @Override
    public final List<String> details(TopRow row, Instant now) {
        R object = find(row).orElse(null);
        if (object == null) return List.of("This one is not there any more: " + TopText.line(row.id()) + ".");
        List<String> lines = new ArrayList<>(pairs(object, each -> !isMore(each)));
        List<Cause> causes = why(object);
        if (!causes.isEmpty()) TopText.add(lines, causes);
        List<ListColumn<R>> texts = new ArrayList<>(
                list.item().columns().stream().filter(TopList::isLong).toList());
        // An error is behind what has it.
        Collections.reverse(texts);
        for (ListColumn<R> each : texts) {
            Object value = each.value().apply(object);
            if (value != null) TopText.add(lines, each.name(), value.toString());
        }
        addMore(lines, object);
        TopText.add(lines, "more", String.join("\n", pairs(object, TopList::isMore)));
        return lines;
    }

    private List<String> pairs(R object, Predicate<ListColumn<R>> chosen) {
        return list.item().columns().stream()
                .filter(each -> !isLong(each) && chosen.test(each))
                .flatMap(each ->
                        TopText.pairs(each.name(), cell(each, each.value().apply(object), null)).stream())
                .toList();
    }

    private static boolean isMore(ListColumn<?> column) {
        return column.rank() == ListColumn.Rank.MORE;
    }

    private static boolean isLong(ListColumn<?> column) {
        return column.mask() == ListColumn.Mask.SECRETS || column.field().type() == FieldType.JSON;
    }

    /** What a declared operation does with the object of a key. */
    final TopAction action(Operation operation, Values key) {
        OperationCall call = new OperationCall(engine, key, Values.NONE);
        return new TopAction(TopText.line(operation.question(call)), () -> {
            ChangeOutcome outcome = operation.run(call);
            return TopText.line(outcome.isFailed() ? outcome.problem() : outcome.sentence());
        });
    }

    final Engine engine() {
        return engine;
    }
}
