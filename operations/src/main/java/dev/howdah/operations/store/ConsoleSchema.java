package dev.howdah.operations.store;

import dev.howdah.internal.sql.Migrations;
import java.util.List;

/** The versions of the tables of the console. */
public final class ConsoleSchema {
    public static final Migrations MIGRATIONS =
            new Migrations("console", "the console", ConsoleSchema.class, List.of("001-console.sql"));

    private ConsoleSchema() {}
}
