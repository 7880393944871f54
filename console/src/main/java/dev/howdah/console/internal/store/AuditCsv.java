package dev.howdah.console.internal.store;

import java.util.stream.Stream;

/** Rows of the audit table as lines of a file with commas. */
public final class AuditCsv {
    private AuditCsv() {}

    /** The first line, with its end. */
    public static String heading() {
        return CsvLine.of(Stream.of(
                "id", "at", "actor", "role", "via", "address", "action", "object", "outcome", "message", "before",
                "sent", "after"));
    }

    /** The line of a row, with its end. */
    public static String line(AuditRow row) {
        AuditEntry entry = row.entry();
        return CsvLine.of(Stream.of(
                row.id(),
                row.at().toString(),
                entry.actor(),
                entry.role(),
                entry.via(),
                entry.address(),
                entry.action(),
                entry.object(),
                row.outcome(),
                row.message(),
                entry.before(),
                entry.after(),
                row.result()));
    }
}
