package dev.howdah.operations.list;

import dev.howdah.operations.list.ListColumn.Mask;
import dev.howdah.operations.list.ListColumn.Rank;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An object as all faces show it: its columns in their order. Immutable and safe for use by many threads.
 *
 * @param name of its shape, such as {@code Node}
 */
public record ListItem<R>(String name, List<ListColumn<R>> columns) {
    public ListItem {
        columns = List.copyOf(columns);
    }

    /** One without columns. */
    public static <R> ListItem<R> of(String name) {
        return new ListItem<>(name, List.of());
    }

    /** The same with a value that is always there. */
    public ListItem<R> of(String column, FieldType type, String words, Function<R, ? extends @Nullable Object> value) {
        return with(Field.of(column, type, words), value, null);
    }

    /** The same with a value that may be absent. */
    public ListItem<R> maybe(
            String column, FieldType type, String words, Function<R, ? extends @Nullable Object> value) {
        return with(Field.maybe(column, type, words), value, null);
    }

    /** The same with a number that may be counted up to a bound only. */
    public ListItem<R> count(String column, String words, Function<R, BoundedCount> value) {
        return with(Field.count(column, words), value, null);
    }

    /** The same with an object. */
    public <S> ListItem<R> one(String column, ListItem<S> item, String words, Function<R, S> value) {
        return with(Field.one(column, item.shape(), words), value, item);
    }

    /** The same with objects. */
    public <S> ListItem<R> many(String column, ListItem<S> item, String words, Function<R, List<S>> value) {
        return with(Field.many(column, item.shape(), words), value, item);
    }

    private ListItem<R> with(Field field, Function<R, ? extends @Nullable Object> value, @Nullable ListItem<?> nested) {
        ListColumn<R> column = new ListColumn<>(field, value, Mask.NONE, Rank.ALWAYS, nested);
        return new ListItem<>(
                name, Stream.concat(columns.stream(), Stream.of(column)).toList());
    }

    /** The same with possible secrets in the last column. */
    public ListItem<R> masked() {
        return last(column -> column.masked(Mask.SECRETS));
    }

    /** The same with an address in the last column. */
    public ListItem<R> address() {
        return last(column -> column.masked(Mask.ADDRESS));
    }

    private ListItem<R> last(UnaryOperator<ListColumn<R>> change) {
        int last = columns.size() - 1;
        return new ListItem<>(
                name,
                Stream.concat(columns.subList(0, last).stream(), Stream.of(change.apply(columns.get(last))))
                        .toList());
    }

    /** The same with columns that tables on narrow screens leave out: their names, with blanks between them. */
    public ListItem<R> wide(String names) {
        return ranked(names, Rank.WIDE);
    }

    /** The same with columns that tables leave out. */
    public ListItem<R> more(String names) {
        return ranked(names, Rank.MORE);
    }

    /** The same with columns that lists leave out. */
    public ListItem<R> detail(String names) {
        return ranked(names, Rank.DETAIL);
    }

    private ListItem<R> ranked(String names, Rank rank) {
        List<String> all = List.of(names.split(" ", -1));
        return new ListItem<>(
                name,
                columns.stream()
                        .map(each -> all.contains(each.name()) ? each.ranked(rank) : each)
                        .toList());
    }

    /** The same of objects that hold such a one. */
    public <S> ListItem<S> from(String other, Function<S, R> part) {
        return new ListItem<>(
                other, columns.stream().map(each -> of(each, part)).toList());
    }

    private static <R, S> ListColumn<S> of(ListColumn<R> column, Function<S, R> part) {
        return new ListColumn<>(
                column.field(),
                row -> column.value().apply(part.apply(row)),
                column.mask(),
                column.rank(),
                column.item());
    }

    /** The columns of a list. */
    public List<ListColumn<R>> listed() {
        return columns.stream().filter(each -> each.rank() != Rank.DETAIL).toList();
    }

    /** As JSON, in lists and by itself: what lists leave out may be absent. */
    public Shape shape() {
        return new Shape(
                name,
                columns.stream()
                        .map(each -> each.rank() == Rank.DETAIL ? each.field().optional() : each.field())
                        .toList());
    }
}
