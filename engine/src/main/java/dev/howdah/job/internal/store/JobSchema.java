package dev.howdah.job.internal.store;

import dev.howdah.internal.node.NodeSchema;
import dev.howdah.internal.sql.Migrations;
import java.util.List;

/** The tables of the jobs, version by version. */
public final class JobSchema {
    public static final Migrations MIGRATIONS = new Migrations(
            "job",
            "jobs",
            JobSchema.class,
            List.of(
                    "001-job.sql",
                    "002-log.sql",
                    "003-refusal.sql",
                    "004-unread.sql",
                    "005-rate.sql",
                    "006-workflow.sql",
                    "007-burst.sql",
                    "008-text.sql",
                    "009-drivers.sql",
                    "010-names.sql"),
            NodeSchema.MIGRATIONS);

    private JobSchema() {}
}
