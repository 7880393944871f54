package dev.howdah.sweep.internal.store;

import dev.howdah.internal.sql.Migrations;
import java.util.List;

/** The tables of sweeps, version by version. */
public final class SweepSchema {
    public static final Migrations MIGRATIONS =
            new Migrations("sweep", "sweeps", SweepSchema.class, List.of("001-sweep.sql"));

    private SweepSchema() {}
}
