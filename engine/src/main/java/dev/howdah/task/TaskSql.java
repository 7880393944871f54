package dev.howdah.task;

import dev.howdah.internal.sql.SqlFile;

/** The SQL files of tasks. */
final class TaskSql {
    static final SqlFile CLIENT = SqlFile.of(TaskSql.class, "table-client.sql");
    static final SqlFile FUNCTIONS = SqlFile.of(TaskSql.class, "functions.sql");
    static final SqlFile RIGHTS = SqlFile.of(TaskSql.class, "rights.sql");
    static final SqlFile SCHEDULER = SqlFile.of(TaskSql.class, "scheduler.sql");
    static final SqlFile SESSION = SqlFile.of(TaskSql.class, "session.sql");

    private TaskSql() {}

    /** The file of that name, of which the names of a table are yet to be put in. */
    static SqlFile file(String name) {
        return SqlFile.of(TaskSql.class, name);
    }
}
