package dev.howdah.sweep.internal.store;

import dev.howdah.internal.sql.Migrations;
import java.util.List;

/** The tables of sweeps, version by version. */
public final class SweepSchema {
    public static final Migrations MIGRATIONS = new Migrations(
            "sweep",
            "sweeps",
            SweepSchema.class,
            List.of("1-sweep-table.sql", "2-sweep-run.sql", "3-sweep-lost.sql", "4-sweep-runs.sql"));

    private SweepSchema() {}
}
