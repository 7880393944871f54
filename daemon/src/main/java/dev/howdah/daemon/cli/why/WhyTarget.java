package dev.howdah.daemon.cli.why;

import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Installation;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.health.Cause;
import dev.howdah.internal.json.JacksonCodec;
import dev.howdah.job.JobAdmin;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.process.ProcessException;
import dev.howdah.process.ProcessReader;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.Sweeps;
import dev.howdah.task.TaskException;
import dev.howdah.task.TaskTable;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;

/** The database that is asked why something does not run. */
final class WhyTarget {
    private static final Set<String> NOT_INSTALLED = Set.of("3F000", "42P01", "42883");

    private final CommandTarget target;
    private final String schema;

    private WhyTarget(CommandTarget target, String schema) {
        this.target = target;
        this.schema = schema;
    }

    /** The one that the command's settings name. */
    static WhyTarget of(CommandSpec command, Terminal terminal) {
        Configuration configuration = ConfigurationOptions.read(command, terminal);
        return new WhyTarget(
                CommandTarget.of(configuration, terminal.environment()),
                Installation.of(configuration).name());
    }

    /** @throws CliException that says what went wrong */
    <T> T jobs(Function<JobAdmin, T> question) {
        try {
            return question.apply(
                    Jobs.on(new SessionSource(target.database())).schema(schema).admin());
        } catch (JobsException e) {
            throw failure("jobs", e);
        }
    }

    /** @throws CliException that says what went wrong */
    <T> T tasks(Function<TaskTable, T> question) {
        try {
            return question.apply(TaskTable.on(target.database(), target.schema(), target.table()));
        } catch (TaskException e) {
            throw SqlFailure.ofTasks(e.getCause(), target);
        }
    }

    /** @throws CliException that says what went wrong */
    List<Cause> process(String namespace, String id) {
        try {
            return ProcessReader.on(new SessionSource(target.database()), new JacksonCodec(), schema)
                    .why(namespace, id);
        } catch (ProcessException e) {
            throw failure("processes", e);
        }
    }

    /** @throws CliException that says what went wrong */
    List<Cause> sweep(String name) {
        try {
            return Sweeps.on(new SessionSource(target.database())).why(name);
        } catch (SweepException e) {
            throw failure("sweeps", e);
        }
    }

    private CliException failure(String what, RuntimeException e) {
        if (!(e.getCause() instanceof SQLException cause))
            return CliException.failed(String.valueOf(e.getMessage()), e);
        if (NOT_INSTALLED.contains(Objects.requireNonNullElse(cause.getSQLState(), "")))
            return CliException.failed("there are no " + what + " in "
                    + target.database().describe() + ", or their tables are of an older version");
        return SqlFailure.of(cause, target);
    }
}
