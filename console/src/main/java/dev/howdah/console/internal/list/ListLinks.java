package dev.howdah.console.internal.list;

import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.operations.list.ListPlace;
import org.jspecify.annotations.Nullable;

/** The addresses of the pages beside one of a list; null: there is none. */
public record ListLinks(@Nullable String next, @Nullable String previous) {
    /** There is none. */
    public static final ListLinks NONE = new ListLinks(null, null);

    /** Those beside the page of a request. */
    public static ListLinks of(ListPlace.Beside beside, PageRequest request) {
        return new ListLinks(address(request, "after", beside.next()), address(request, "before", beside.previous()));
    }

    private static @Nullable String address(PageRequest request, String name, @Nullable String place) {
        return place == null ? null : request.with(name, place);
    }

    /** Where a search that was not at the end goes on. */
    public @Nullable String further(boolean isBackwards) {
        return isBackwards ? previous : next;
    }
}
