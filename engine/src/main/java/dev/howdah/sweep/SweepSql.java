package dev.howdah.sweep;

import dev.howdah.internal.sql.SqlFile;

/** The SQL files of sweeps. */
final class SweepSql {
    static final SqlFile CANDIDATE = SqlFile.of(SweepSql.class, "candidate.sql");
    static final SqlFile HEALTH = SqlFile.of(SweepSql.class, "health.sql");
    static final SqlFile ROW = SqlFile.of(SweepSql.class, "row.sql");
    static final SqlFile STAMP = SqlFile.of(SweepSql.class, "stamp.sql");
    static final SqlFile SWEEP = SqlFile.of(SweepSql.class, "sweep.sql");

    private SweepSql() {}
}
