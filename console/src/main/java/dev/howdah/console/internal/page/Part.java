package dev.howdah.console.internal.page;

import java.util.function.Supplier;

/**
 * A part of a page: read and rendered by itself, so that an error of one leaves the others.
 *
 * @param name unique on its page; letters only
 * @param template the file in {@code src/main/jte}
 * @param model reads what the template shows
 */
public record Part(String name, String template, Supplier<?> model) {
    public Part {
        if (!name.matches("[a-z]+")) throw new IllegalArgumentException("a part's name has letters only: " + name);
    }
}
