package dev.howdah.job.internal.store;

import dev.howdah.internal.install.FeatureUninstaller;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.JobsException;
import java.sql.Connection;
import java.sql.SQLException;

/** Takes the tables of jobs out of a database. */
public final class SchemaUninstaller {
    private static final Sql LEFT = JobSql.NODE.statement("job_count_left");

    private SchemaUninstaller() {}

    /** @param force even if nodes work, and jobs wait */
    public static void run(Connection connection, boolean force) throws SQLException {
        String refusal = FeatureUninstaller.run(connection, JobSchema.MIGRATIONS, JobSql.FEATURE, "job", LEFT, force);
        if (refusal != null) throw new JobsException(refusal);
    }
}
