package dev.howdah.reach.internal.jdbc;

import dev.howdah.spi.reach.RowFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows and tags as the lines that the same statement gives in a PostgreSQL. Used by one thread. */
final class RowText {
    /**
     * A column of rows.
     *
     * @param plain whether it has numbers or truth values, which are quoted only when everything is
     */
    record Column(String name, boolean plain) {}

    private final RowFormat format;
    private final StringBuilder text = new StringBuilder();
    private List<Column> columns = List.of();
    private boolean any;
    private boolean anyRow;
    private int ended;
    private boolean anyEnded;

    RowText(RowFormat format) {
        this.format = format;
    }

    void columns(List<Column> now) {
        columns = now;
        anyRow = false;
    }

    void row(List<@Nullable String> values) {
        if (!anyRow && format.header() && columns.size() > 1)
            line(columns.stream().map(each -> quoted(each.name())).toList());
        anyRow = true;
        line(java.util.stream.IntStream.range(0, columns.size())
                .mapToObj(i -> shown(columns.get(i), values.get(i)))
                .toList());
    }

    private String shown(Column column, @Nullable String value) {
        if (value == null) return format.nullText();
        return column.plain() && format.quotesTexts() ? value : quoted(value);
    }

    private String quoted(String value) {
        String mark = format.quote();
        if (mark.isEmpty()) return value;
        String escape = format.escape();
        String inner = value;
        if (!escape.isEmpty()) {
            if (!escape.equals(mark)) inner = inner.replace(escape, escape + escape);
            inner = inner.replace(mark, escape + mark);
        }
        return mark + inner + mark;
    }

    private void line(List<String> values) {
        if (any) text.append('\n');
        any = true;
        text.append(String.join(format.delimiter(), values));
    }

    /** A statement without rows has ended. */
    void tag(String sql, int changed) {
        String word = firstWord(sql);
        line(List.of(
                switch (word) {
                    case "INSERT" -> "INSERT 0 " + Math.max(changed, 0);
                    case "UPDATE", "DELETE", "MERGE", "REPLACE" -> word + " " + Math.max(changed, 0);
                    default -> word;
                }));
        end();
    }

    /** A statement has ended: what comes after it may be taken back. */
    void end() {
        ended = text.length();
        anyEnded = any;
    }

    private static String firstWord(String sql) {
        String bare = sql.replaceFirst("^(?s:\\s+|--[^\\n]*\\n|#[^\\n]*\\n|/\\*.*?\\*/)*+\\(*", "");
        int end = 0;
        while (end < bare.length() && Character.isLetter(bare.charAt(end))) end++;
        return bare.substring(0, end).toUpperCase(java.util.Locale.ROOT);
    }

    /** All so far; null if there is nothing. */
    @Nullable
    String text() {
        return any ? text.toString() : null;
    }

    /** What the statements before have given; null if there is nothing. */
    @Nullable
    String endedText() {
        return anyEnded ? text.substring(0, ended) : null;
    }
}
