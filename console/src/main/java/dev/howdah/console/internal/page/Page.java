package dev.howdah.console.internal.page;

import java.util.List;

/**
 * A page.
 *
 * @param title of the page, which is its heading too
 * @param section of the side bar that it belongs to
 * @param parts one under the other
 * @param isLive whether its parts are read again while a browser looks at it; false for a form
 */
public record Page(String title, Section section, List<Part> parts, boolean isLive) {
    public Page {
        parts = List.copyOf(parts);
    }

    public Page(String title, Section section, Part... parts) {
        this(title, section, List.of(parts), true);
    }

    /** The same page, which stays as it is while it is looked at. */
    public Page still() {
        return new Page(title, section, parts, false);
    }
}
