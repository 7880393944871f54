package dev.howdah.operations;

import dev.howdah.health.DatabaseHealth;
import dev.howdah.job.JobAdmin;
import dev.howdah.job.Schedules;
import dev.howdah.operations.chart.ChartReads;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.store.AccessTokens;
import dev.howdah.operations.store.AuditStore;
import dev.howdah.operations.store.TokenStore;
import dev.howdah.operations.value.NameValue;
import dev.howdah.process.Notices;
import dev.howdah.process.ProcessReader;
import dev.howdah.sweep.Sweeps;
import dev.howdah.task.TaskTable;
import org.jspecify.annotations.Nullable;

/** The features of one installation in one database, which operations call. */
public interface Engine {
    /** The parameter of keys that names a table of tasks. */
    Parameter<String> TABLE = Parameter.maybe(
            "table", new NameValue(130), "The table of tasks, such as public.task; the first one unless given.");

    JobAdmin jobs();

    Schedules schedules();

    Sweeps sweeps();

    DatabaseHealth health();

    AccessTokens tokens();

    /** The tokens as they are stored. */
    TokenStore storedTokens();

    AuditStore audit();

    /** What is read besides the features. */
    EngineReads reads();

    /** What charts are drawn from. */
    ChartReads charts();

    ProcessReader processes();

    Notices notices();

    /**
     * A table of tasks.
     *
     * @param table such as {@code public.task}; null: the first one, or that of the settings of a command
     * @throws IllegalArgumentException if there is none, or none of that name
     */
    TaskTable tasks(@Nullable String table);
}
