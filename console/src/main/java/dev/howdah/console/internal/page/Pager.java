package dev.howdah.console.internal.page;

import dev.howdah.console.internal.view.Texts;
import org.jspecify.annotations.Nullable;

/** Addresses of the other orders of a list. */
public final class Pager {
    private Pager() {}

    /**
     * A column by which a list can be sorted.
     *
     * @param path of the list in the order that a click on the heading gives
     * @param direction ascending or descending; null: it is sorted by another
     */
    public record Column(
            String label, String path, @Nullable String direction) {}

    /**
     * A column by which a list can be sorted: a click on it sorts by it, another one turns the order round.
     *
     * @param chosen the order of the list
     * @param first the one that the column begins with
     * @param second the other way round
     */
    public static <E extends Enum<E>> Column column(
            PageRequest request, String label, E chosen, E first, E second, boolean isFirstAscending) {
        E next = chosen == first ? second : first;
        String direction = null;
        if (chosen == first || chosen == second)
            direction = (chosen == first) == isFirstAscending ? "ascending" : "descending";
        return new Column(label, request.with("sort", Texts.word(next)), direction);
    }

    /** A column by which a list can be sorted one way round: another click gives the usual order of the page. */
    public static <E extends Enum<E>> Column column(
            PageRequest request, String label, E chosen, E only, boolean isAscending) {
        boolean isChosen = chosen == only;
        return new Column(
                label,
                request.with("sort", isChosen ? null : Texts.word(only)),
                isChosen ? isAscending ? "ascending" : "descending" : null);
    }
}
