package dev.howdah.task.internal.store;

import dev.howdah.internal.sql.SqlFile;

/** The SQL files of tasks. */
public final class TaskSql {
    public static final SqlFile CLIENT = SqlFile.of(TaskSql.class, "table-client.sql");
    public static final SqlFile DOCUMENTS = SqlFile.of(TaskSql.class, "documents.sql");
    public static final SqlFile FUNCTIONS = SqlFile.of(TaskSql.class, "functions.sql");
    public static final SqlFile RIGHTS = SqlFile.of(TaskSql.class, "rights.sql");
    public static final SqlFile SCHEDULE = SqlFile.of(TaskSql.class, "task-schedule.sql");
    public static final SqlFile SCHEDULER = SqlFile.of(TaskSql.class, "scheduler.sql");
    public static final SqlFile SESSION = SqlFile.of(TaskSql.class, "session.sql");
    public static final SqlFile TRIGGERS = SqlFile.of(TaskSql.class, "triggers.sql");
    public static final SqlFile WHY = SqlFile.of(TaskSql.class, "task-why.sql");

    private TaskSql() {}

    /** The file of that name, of which the names of a table are yet to be put in. */
    static SqlFile file(String name) {
        return SqlFile.of(TaskSql.class, name);
    }
}
