package dev.howdah.daemon.serve;

import dev.howdah.Database;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.spi.Metrics;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The services of the daemon beside its tables of tasks: jobs and processes. */
public record Services(JobPlan jobs, ProcessPlan processes) {
    /** @throws CliException if the settings make no sense together */
    public static Services of(Configuration configuration) {
        JobPlan jobs = JobPlan.of(configuration);
        return new Services(jobs, ProcessPlan.of(configuration, jobs));
    }

    /** It is worked until this is closed. */
    record Worked(JobService jobs, ProcessService processes) implements AutoCloseable {
        /** Returns why what is to be worked is not; null: all of it is. */
        @Nullable
        String obstacle() {
            String obstacle = jobs.obstacle();
            return obstacle != null ? obstacle : processes.obstacle();
        }

        @Override
        public void close() {
            processes.close();
            jobs.close();
        }
    }

    /** What lets a database be served. */
    @FunctionalInterface
    public interface Admission {
        void admit(Database database) throws SQLException;
    }

    /** Begins in the background, if there is something to work. */
    Worked start(Database database, Metrics figures, StartGuard guard) {
        // One object for both: what is started over the same data source is one node.
        DataSource source = new SessionSource(database);
        return new Worked(
                JobService.start(database, source, jobs, figures, guard::admit),
                ProcessService.start(database, source, processes, figures, guard::admit));
    }
}
