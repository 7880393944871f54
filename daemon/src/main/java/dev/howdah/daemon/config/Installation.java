package dev.howdah.daemon.config;

import dev.howdah.daemon.console.CliException;
import dev.howdah.internal.sql.SchemaName;

/** Reads the setting that names the schema of the tables of jobs and processes. */
public final class Installation {
    private Installation() {}

    /** @throws CliException if the tables cannot be in a schema of that name */
    public static SchemaName of(Configuration configuration) {
        try {
            return SchemaName.of(configuration.text(Setting.INSTALLATION));
        } catch (IllegalArgumentException e) {
            throw CliException.usage(Setting.INSTALLATION.flag() + ": " + e.getMessage());
        }
    }
}
