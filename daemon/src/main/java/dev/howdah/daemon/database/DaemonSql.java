package dev.howdah.daemon.database;

import dev.howdah.internal.sql.SqlFile;

/** The SQL files that several parts of the program use. */
public final class DaemonSql {
    public static final SqlFile DATABASE = SqlFile.of(DaemonSql.class, "database.sql");
    public static final SqlFile DOCTOR = SqlFile.of(DaemonSql.class, "doctor.sql");
    public static final SqlFile IMPORT = SqlFile.of(DaemonSql.class, "import.sql");
    public static final SqlFile JOBS = SqlFile.of(DaemonSql.class, "jobs.sql");

    private DaemonSql() {}
}
