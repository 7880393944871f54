package dev.howdah.process.internal.store;

import dev.howdah.internal.sql.Migrations;
import java.util.List;

/** The tables of the processes, version by version. */
public final class ProcessSchema {
    public static final Migrations MIGRATIONS = new Migrations(
            "process",
            "processes",
            ProcessSchema.class,
            List.of(
                    "1-process-table.sql",
                    "2-retention-table.sql",
                    "3-notice-table.sql",
                    "4-outbox-table.sql",
                    "5-node-table.sql",
                    "6-token-table.sql"));

    private ProcessSchema() {}
}
