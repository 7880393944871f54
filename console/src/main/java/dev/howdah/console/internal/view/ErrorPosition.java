package dev.howdah.console.internal.view;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where in its SQL a task has failed, as PostgreSQL says it.
 *
 * @param index in the SQL; its length: at the end
 * @param line from 1
 * @param column from 1, in characters
 */
public record ErrorPosition(int index, int line, int column) {
    /** The message ends here: its own further lines begin with a tabulator. */
    private static final Pattern PART = Pattern.compile("\\n[A-Z]+: ");

    private static final Pattern AT = Pattern.compile(" at character (\\d{1,9})\\z");

    /** Then the place is in a statement of a function. */
    private static final String INNER = "\nQUERY:  ";

    /**
     * The place that the error of a task names in its SQL.
     *
     * @return null if it names none, or one elsewhere
     */
    public static @Nullable ErrorPosition of(@Nullable String error, String sql) {
        if (error == null || error.contains(INNER)) return null;
        Matcher at = AT.matcher(PART.split(error, 2)[0]);
        if (!at.find()) return null;
        int characters = Integer.parseInt(at.group(1)) - 1;
        if (characters < 0 || characters > sql.codePointCount(0, sql.length())) return null;
        int index = sql.offsetByCodePoints(0, characters);
        int begin = sql.lastIndexOf('\n', index - 1) + 1;
        int line = 1
                + (int) sql.substring(0, begin)
                        .chars()
                        .filter(each -> each == '\n')
                        .count();
        return new ErrorPosition(index, line, 1 + sql.codePointCount(begin, index));
    }
}
