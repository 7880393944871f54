package dev.howdah.junit;

import dev.howdah.job.JobsBuilder;
import javax.sql.DataSource;

/** A test class with handlers: those of {@link dev.howdah.testkit.TestJobs} in parameters of its tests. */
@FunctionalInterface
public interface WithJobs {
    /** Returns jobs of that database, with their handlers. */
    JobsBuilder jobs(DataSource database);
}
