package dev.howdah.process.internal.store;

import dev.howdah.internal.sql.SqlFile;

/** The SQL files of processes. */
public final class ProcessSql {
    /** The name of the feature in the table of nodes. */
    public static final String FEATURE = "process";

    public static final SqlFile HISTORY = SqlFile.of(ProcessSql.class, "history.sql");
    public static final SqlFile NODE = SqlFile.of(ProcessSql.class, "node.sql");
    public static final SqlFile OUTBOX = SqlFile.of(ProcessSql.class, "outbox.sql");
    public static final SqlFile READ = SqlFile.of(ProcessSql.class, "read.sql");
    public static final SqlFile REQUEST = SqlFile.of(ProcessSql.class, "request.sql");
    public static final SqlFile STEP = SqlFile.of(ProcessSql.class, "step.sql");

    private ProcessSql() {}
}
