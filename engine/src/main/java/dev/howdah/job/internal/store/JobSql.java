package dev.howdah.job.internal.store;

import dev.howdah.internal.sql.SqlFile;

/** The SQL files of jobs. */
public final class JobSql {
    /** The name of the feature in the table of nodes. */
    public static final String FEATURE = "job";

    public static final SqlFile ADD = SqlFile.of(JobSql.class, "add.sql");
    public static final SqlFile ADMIN = SqlFile.of(JobSql.class, "admin.sql");
    public static final SqlFile AWAIT = SqlFile.of(JobSql.class, "await.sql");
    public static final SqlFile JOB = SqlFile.of(JobSql.class, "job.sql");
    public static final SqlFile LANE = SqlFile.of(JobSql.class, "lane.sql");
    public static final SqlFile LIMIT = SqlFile.of(JobSql.class, "limit.sql");
    public static final SqlFile LOG = SqlFile.of(JobSql.class, "log.sql");
    public static final SqlFile NODE = SqlFile.of(JobSql.class, "node.sql");
    public static final SqlFile ORDER = SqlFile.of(JobSql.class, "order.sql");
    public static final SqlFile QUERY = SqlFile.of(JobSql.class, "query.sql");
    public static final SqlFile SCHEDULE = SqlFile.of(JobSql.class, "schedule.sql");
    public static final SqlFile STAT = SqlFile.of(JobSql.class, "stat.sql");
    public static final SqlFile STEP = SqlFile.of(JobSql.class, "step.sql");
    public static final SqlFile WAIT = SqlFile.of(JobSql.class, "wait.sql");
    public static final SqlFile WORKFLOW = SqlFile.of(JobSql.class, "workflow.sql");

    private JobSql() {}
}
