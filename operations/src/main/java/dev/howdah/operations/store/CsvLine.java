package dev.howdah.operations.store;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Lines of a file with commas, as RFC 4180 has it. */
public final class CsvLine {
    private CsvLine() {}

    /** The line of these numbers and texts with its end; null is empty. */
    public static String of(Stream<? extends @Nullable Object> values) {
        return values.map(each -> each == null ? "" : each instanceof Number ? each.toString() : cell(each.toString()))
                .collect(Collectors.joining(",", "", "\r\n"));
    }

    /** A spreadsheet computes what begins with certain characters: an apostrophe before them makes it a text. */
    private static String cell(String text) {
        String plain = text.matches("(?s)[=+\\-@\\t\\r].*") ? "'" + text : text;
        return plain.matches("(?s).*[\",\r\n'].*") ? '"' + plain.replace("\"", "\"\"") + '"' : plain;
    }
}
