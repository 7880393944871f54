package dev.howdah.process;

import dev.howdah.internal.sql.SqlFile;

/** The SQL files of processes. */
final class ProcessSql {
    static final SqlFile HOUSE = SqlFile.of(ProcessSql.class, "house.sql");
    static final SqlFile NODE = SqlFile.of(ProcessSql.class, "node.sql");
    static final SqlFile OUTBOX = SqlFile.of(ProcessSql.class, "outbox.sql");
    static final SqlFile READ = SqlFile.of(ProcessSql.class, "read.sql");
    static final SqlFile REQUEST = SqlFile.of(ProcessSql.class, "request.sql");
    static final SqlFile STEP = SqlFile.of(ProcessSql.class, "step.sql");

    private ProcessSql() {}
}
