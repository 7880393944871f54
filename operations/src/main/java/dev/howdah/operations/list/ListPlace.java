package dev.howdah.operations.list;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Where a page of a list begins, or ends. The page before a place is read in the opposite order, from the place on.
 *
 * @param after the place behind which it begins; null: at the first row, or there is {@code before}
 * @param before the place before which it ends; null: it does not end at one
 */
public record ListPlace(@Nullable String after, @Nullable String before) {
    /** The first page. */
    public static final ListPlace FIRST = new ListPlace(null, null);

    /** @throws IllegalArgumentException if it has both */
    public ListPlace {
        if (after != null && before != null)
            throw new IllegalArgumentException("after and before: a page begins after a place, or ends before one");
    }

    /** Whether the list is read in the opposite order. */
    public boolean isBackwards() {
        return before != null;
    }

    /** From where it is read; null: from the first row on. */
    public @Nullable String start() {
        return before != null ? before : after;
    }

    /**
     * The place as the id of a row; null: it is read from the first row on.
     *
     * @throws IllegalArgumentException if it is no id
     */
    public @Nullable Long startId() {
        String start = start();
        if (start == null) return null;
        if (!start.matches("\\d{1,18}"))
            throw new IllegalArgumentException(
                    (isBackwards() ? "before" : "after") + " has to be a number, not \"" + start + "\"");
        return Long.valueOf(start);
    }

    /** Rows that were read, in the order of the list. */
    public <T> List<T> inOrder(List<T> found) {
        if (!isBackwards()) return found;
        List<T> rows = new ArrayList<>(found);
        Collections.reverse(rows);
        return rows;
    }

    /** Whether nothing comes before the place any more: then the first page is shown instead. */
    public boolean isPastFirst(List<?> found, boolean isSearched) {
        return isBackwards() && found.isEmpty() && !isSearched;
    }

    /**
     * The places from which the pages beside this one are read.
     *
     * @param further where reading goes on in the order in which it was read; null: there is no more
     * @param first the place of the first row that was read; null: there is none
     */
    public Beside beside(@Nullable String further, @Nullable String first) {
        return isBackwards() ? new Beside(first, further) : new Beside(further, after == null ? null : first);
    }

    /**
     * Pages beside one.
     *
     * @param next the parameter {@code after} of the next page; null: there is none
     * @param previous the parameter {@code before} of the page before; null: this is the first
     */
    public record Beside(@Nullable String next, @Nullable String previous) {
        /** There is none. */
        public static final Beside NONE = new Beside(null, null);
    }

    /** For lists by ids of which one row more than a page was read. */
    public <T> Rows<T> rows(List<T> found, int most, ToLongFunction<T> id) {
        return rowsBy(found, most, each -> Long.toString(id.applyAsLong(each)));
    }

    /** For lists by places of another kind of which one row more than a page was read. */
    public <T> Rows<T> rowsBy(List<T> found, int most, Function<T, String> place) {
        boolean more = found.size() > most;
        List<T> some = more ? found.subList(0, most) : found;
        return new Rows<>(
                inOrder(some),
                beside(
                        more ? place.apply(some.get(most - 1)) : null,
                        some.isEmpty() ? null : place.apply(some.get(0))));
    }

    /** The rows of a page and the pages beside it. */
    public record Rows<T>(List<T> rows, Beside beside) {}
}
