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
 * @param install whether tables that are missing or too old are made at the start; otherwise the application does not start without them
 * @param runsJobs whether handlers run here
 * @param runsProcesses whether namespaces run here
 * @param queues to claim from, beside those that handlers name
 * @param timeout of attempts of handlers that set none; zero is no limit
 * @param maxLag for how long a job may be due before the health is down; null: for ever
 * @param taskSchema schema of the table of tasks
 * @param taskTable name of the table of tasks
 */
public record InstallationSettings(
        String prefix,
        String schema,
        @Nullable String nodeName,
        Duration shutdownTimeout,
        boolean install,
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
        String taskSchema,
        String taskTable) {}
