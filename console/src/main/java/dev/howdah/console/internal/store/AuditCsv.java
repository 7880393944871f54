package dev.howdah.console.internal.store;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Rows of the audit table as lines of a file with commas, as RFC 4180 has it. */
public final class AuditCsv {
    private static final List<String> COLUMNS = List.of(
            "id", "at", "actor", "role", "via", "address", "action", "object", "outcome", "message", "before", "sent",
            "after");

    private AuditCsv() {}

    /** The first line, with its end. */
    public static String heading() {
        return String.join(",", COLUMNS) + "\r\n";
    }

    /** The line of a row, with its end. */
    public static String line(AuditRow row) {
        AuditEntry entry = row.entry();
        return Stream.of(
                                Long.toString(row.id()),
                                row.at().toString(),
                                entry.actor(),
                                text(entry.role()),
                                entry.via(),
                                text(entry.address()),
                                entry.action(),
                                text(entry.object()),
                                row.outcome(),
                                text(row.message()),
                                text(entry.before()),
                                text(entry.after()),
                                text(row.result()))
                        .map(AuditCsv::cell)
                        .collect(Collectors.joining(","))
                + "\r\n";
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }

    /** A spreadsheet computes what begins with certain characters: an apostrophe before them makes it a text. */
    private static String cell(String text) {
        String plain = text.matches("(?s)[=+\\-@\\t\\r].*") ? "'" + text : text;
        return plain.matches("(?s).*[\",\r\n'].*") ? '"' + plain.replace("\"", "\"\"") + '"' : plain;
    }
}
