package dev.howdah.job.internal.store;

import dev.howdah.internal.node.NodeSchema;
import dev.howdah.internal.sql.Migrations;
import java.util.List;

/** The tables of the jobs, version by version. */
public final class JobSchema {
    public static final Migrations MIGRATIONS =
            new Migrations("job", "jobs", JobSchema.class, List.of("001-job.sql"), NodeSchema.MIGRATIONS);

    private JobSchema() {}
}
