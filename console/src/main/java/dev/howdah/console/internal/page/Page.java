package dev.howdah.console.internal.page;

import java.util.List;

/**
 * A page.
 *
 * @param title of the page, which is its heading too
 * @param section of the side bar that it belongs to
 * @param parts one under the other
 */
public record Page(String title, Section section, List<Part> parts) {
    public Page {
        parts = List.copyOf(parts);
    }

    public Page(String title, Section section, Part... parts) {
        this(title, section, List.of(parts));
    }
}
