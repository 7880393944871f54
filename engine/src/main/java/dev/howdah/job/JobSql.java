package dev.howdah.job;

import dev.howdah.internal.sql.SqlFile;

/** The SQL files of jobs. */
final class JobSql {
    static final SqlFile ADD = SqlFile.of(JobSql.class, "add.sql");
    static final SqlFile HAND = SqlFile.of(JobSql.class, "hand.sql");
    static final SqlFile JOB = SqlFile.of(JobSql.class, "job.sql");
    static final SqlFile LANE = SqlFile.of(JobSql.class, "lane.sql");
    static final SqlFile LIMIT = SqlFile.of(JobSql.class, "limit.sql");
    static final SqlFile NODE = SqlFile.of(JobSql.class, "node.sql");
    static final SqlFile ORDER = SqlFile.of(JobSql.class, "order.sql");
    static final SqlFile SCHEDULE = SqlFile.of(JobSql.class, "schedule.sql");
    static final SqlFile STAT = SqlFile.of(JobSql.class, "stat.sql");

    private JobSql() {}
}
