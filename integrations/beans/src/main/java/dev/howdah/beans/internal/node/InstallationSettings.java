package dev.howdah.beans.internal.node;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an application sets of its installation of Howdah in the database of a data source.
 *
 * @param prefix of the names of its properties, such as {@code howdah}
 * @param schema of the tables of jobs, processes and sweeps
 * @param nodeName null: the process id
 * @param shutdownTimeout for how long running handlers and steps are waited for
 * @param tablesByOthers that others make the tables, as a sentence: the application does not start while they are missing or too old; null: it makes them
 * @param runsJobs whether handlers run here
 * @param runsProcesses whether namespaces run here
 * @param queues to claim from, beside those that handlers name
 * @param timeout of attempts of handlers that set none; zero is no limit
 * @param maxLag for how long a job may be due before the health is down; null: for ever
 * @param maxLost for how long a node may be without its session before the application is not live; null: for ever
 * @param taskSchema schema of the table of tasks
 * @param taskTable name of the table of tasks
 */
public record InstallationSettings(
        String prefix,
        String schema,
        @Nullable String nodeName,
        Duration shutdownTimeout,
        @Nullable String tablesByOthers,
        boolean runsJobs,
        boolean runsProcesses,
        int concurrency,
        List<String> queues,
        int attempts,
        Duration timeout,
        boolean virtualThreads,
        Duration keepDone,
        Duration keepFailed,
        @Nullable Duration maxLag,
        @Nullable Duration maxLost,
        String taskSchema,
        String taskTable) {
    /** What {@link #tablesByOthers} says where a tool that the application has makes them. */
    public static final String BY_TOOL = "Flyway or Liquibase makes the tables of this application.";

    /** The same with the tables in that schema. */
    public InstallationSettings in(String other) {
        return new InstallationSettings(
                prefix,
                other,
                nodeName,
                shutdownTimeout,
                tablesByOthers,
                runsJobs,
                runsProcesses,
                concurrency,
                queues,
                attempts,
                timeout,
                virtualThreads,
                keepDone,
                keepFailed,
                maxLag,
                maxLost,
                taskSchema,
                taskTable);
    }
}
