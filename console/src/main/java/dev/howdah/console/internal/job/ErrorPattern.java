package dev.howdah.console.internal.job;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The text of an error but for numbers, ids and quoted parts, as the statement {@code job_error_groups} makes it.
 *
 * @param text with an ellipsis in their place
 */
record ErrorPattern(String text) {
    private static final int LONGEST = 500;
    private static final Pattern ID =
            Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", Pattern.CASE_INSENSITIVE);
    private static final Pattern QUOTED = Pattern.compile("\"[^\"]*\"|'[^']*'");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    /** That of an error. */
    static ErrorPattern of(String error) {
        int end = error.indexOf('\n');
        String line = end < 0 ? error : error.substring(0, end);
        if (line.codePointCount(0, line.length()) > LONGEST)
            line = line.substring(0, line.offsetByCodePoints(0, LONGEST));
        line = ID.matcher(line).replaceAll("…");
        line = QUOTED.matcher(line).replaceAll("\"…\"");
        return new ErrorPattern(NUMBER.matcher(line).replaceAll("…"));
    }

    /** A part that each error of the pattern has; null: there is none. */
    @Nullable
    String part() {
        String longest = "";
        for (String each : text.split("\"…\"|…", -1)) if (each.length() > longest.length()) longest = each;
        return longest.isBlank() ? null : longest;
    }
}
