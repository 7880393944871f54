package dev.howdah.job.internal.store;

import dev.howdah.internal.sql.Migrations;
import java.util.List;

/** The tables of the jobs, version by version. */
public final class JobSchema {
    public static final Migrations MIGRATIONS = new Migrations(
            "job",
            "jobs",
            JobSchema.class,
            List.of(
                    "1-job-table.sql",
                    "2-schedule-table.sql",
                    "3-stat-table.sql",
                    "4-key-table.sql",
                    "5-order-table.sql",
                    "6-stage-table.sql",
                    "7-limit-table.sql",
                    "8-hand-table.sql",
                    "9-limits-table.sql",
                    "10-delegate-table.sql",
                    "11-trace-table.sql",
                    "12-bulk-table.sql",
                    "13-rights-table.sql",
                    "14-claim-table.sql",
                    "15-error-table.sql",
                    "16-node-table.sql",
                    "17-producer-table.sql",
                    "18-number-table.sql"));

    private JobSchema() {}
}
