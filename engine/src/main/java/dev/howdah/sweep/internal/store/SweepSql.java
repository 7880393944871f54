package dev.howdah.sweep.internal.store;

import dev.howdah.internal.sql.SqlFile;

/** The SQL files of sweeps. */
public final class SweepSql {
    public static final SqlFile CANDIDATE = SqlFile.of(SweepSql.class, "candidate.sql");
    public static final SqlFile HEALTH = SqlFile.of(SweepSql.class, "health.sql");
    public static final SqlFile ROW = SqlFile.of(SweepSql.class, "row.sql");
    public static final SqlFile STAMP = SqlFile.of(SweepSql.class, "stamp.sql");
    public static final SqlFile SWEEP = SqlFile.of(SweepSql.class, "sweep.sql");

    private SweepSql() {}
}
