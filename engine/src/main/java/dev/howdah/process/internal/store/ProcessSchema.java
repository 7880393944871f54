package dev.howdah.process.internal.store;

import dev.howdah.internal.node.NodeSchema;
import dev.howdah.internal.sql.Migrations;
import java.util.List;

/** The tables of the processes, version by version. */
public final class ProcessSchema {
    public static final Migrations MIGRATIONS = new Migrations(
            "process", "processes", ProcessSchema.class, List.of("001-process.sql"), NodeSchema.MIGRATIONS);

    private ProcessSchema() {}
}
