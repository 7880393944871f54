package dev.howdah.console.internal.job;

import org.jspecify.annotations.Nullable;

/**
 * The text of an error but for numbers, ids and quoted parts.
 *
 * @param text with {@code ...} in their place, as the function {@code howdah.error_pattern} makes it
 */
record ErrorPattern(String text) {
    /** A part that each error of the pattern has; null: there is none. */
    @Nullable
    String part() {
        String longest = "";
        for (String each : text.split("\"?\\.{3}\"?", -1)) if (each.length() > longest.length()) longest = each;
        return longest.isBlank() ? null : longest;
    }
}
