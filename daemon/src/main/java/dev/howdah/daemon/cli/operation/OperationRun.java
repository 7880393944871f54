package dev.howdah.daemon.cli.operation;

import dev.howdah.console.internal.audit.AuditJson;
import dev.howdah.console.internal.mask.Masker;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Installation;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.JobsFailure;
import dev.howdah.daemon.database.KeptSession;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.daemon.log.CommandLog;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.job.JobsException;
import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.DatabaseException;
import dev.howdah.operations.Engine;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import dev.howdah.operations.Values;
import dev.howdah.operations.read.ReadException;
import dev.howdah.operations.store.AuditStore;
import dev.howdah.process.ProcessException;
import dev.howdah.task.TaskException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Calls operations for one command, in one session, and writes them to the audit table. For one thread. */
public final class OperationRun implements AutoCloseable {
    private final CommandTarget target;
    private final SchemaName schema;
    private final KeptSession session;
    private final Engine engine;
    private final CommandAudit audit;

    private OperationRun(Configuration configuration, Terminal terminal) {
        // That the first change of a database makes the audit table is nothing that its command was asked for.
        CommandLog.omit("dev.howdah.internal.sql.Migrations");
        target = CommandTarget.of(configuration, terminal.environment());
        schema = Installation.of(configuration);
        session = new KeptSession(target.database());
        engine = new CommandEngine(target, session, schema);
        Masker masker = Masker.with(
                configuration.list(Setting.CONSOLE_MASK_KEYS),
                configuration.find(Setting.CONSOLE_MASK).map(List::of).orElse(List.of()));
        audit = new CommandAudit(new AuditStore(session, schema.name()), new AuditJson(masker), terminal);
    }

    /** In the installation that the settings of a command name. */
    public static OperationRun of(CommandSpec command, Terminal terminal) {
        return new OperationRun(ConfigurationOptions.read(command, terminal), terminal);
    }

    public Engine engine() {
        return engine;
    }

    /**
     * Calls an operation on one object.
     *
     * @throws CliException if the database fails, or a value is not possible
     */
    public ChangeOutcome call(Operation operation, Values given, Values values) {
        boolean isOfTable = operation.subject().names().contains(Engine.TABLE);
        Values key = isOfTable ? given.with(Engine.TABLE, target.schema() + "." + target.table()) : given;
        CommandAudit.Change change =
                begin(operation.audit(), operation.subject().object(key), values.texts());
        ChangeOutcome outcome;
        try {
            outcome = failing(() -> operation.run(new OperationCall(engine, key, values)));
        } catch (CliException e) {
            change.end("failed", String.valueOf(e.getMessage()));
            throw e;
        }
        change.end(outcome.isFailed() ? "failed" : "done", outcome.sentence());
        return outcome;
    }

    /** Makes a change that is no call of an operation on one object, between its two rows of the audit table. */
    public <T> T audited(String action, @Nullable String object, Map<String, String> sent, Supplier<T> work) {
        CommandAudit.Change change = begin(action, object, sent);
        try {
            T result = failing(work);
            change.end("done", String.valueOf(result));
            return result;
        } catch (CliException e) {
            change.end("failed", String.valueOf(e.getMessage()));
            throw e;
        }
    }

    private CommandAudit.Change begin(String action, @Nullable String object, Map<String, String> sent) {
        try {
            return audit.begin(action, object, sent);
        } catch (ReadException e) {
            throw e.getCause() instanceof SQLException cause ? SqlFailure.of(cause, target) : e;
        }
    }

    /** @throws CliException in place of an exception of the engine */
    public <T> T failing(Supplier<T> work) {
        try {
            return work.get();
        } catch (CliException e) {
            throw e;
        } catch (JobsException e) {
            if (e.getCause() instanceof SQLException cause) throw JobsFailure.of(cause, target, schema);
            throw CliException.failed(String.valueOf(e.getMessage()), e);
        } catch (ProcessException e) {
            if (e.getCause() instanceof SQLException cause) throw SqlFailure.ofProcesses(cause, target);
            throw CliException.failed(e.getMessage(), e);
        } catch (TaskException e) {
            throw SqlFailure.ofTasks(e.getCause(), target);
        } catch (DatabaseException e) {
            throw SqlFailure.of(e.refusal(), target);
        } catch (IllegalArgumentException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            if (e.getCause() instanceof SQLException cause && SqlErrors.isConnectionLost(cause))
                throw SqlFailure.of(cause, target);
            throw CliException.failed(String.valueOf(e.getMessage()), e);
        }
    }

    /** Adds what a call answers to a JSON object. */
    public static void put(Map<String, @Nullable Object> fields, ChangeOutcome outcome) {
        fields.put("changed", outcome.kind() == ChangeOutcome.Kind.DONE);
        outcome.results().forEach((parameter, value) -> fields.put(parameter.name(), value));
    }

    @Override
    public void close() {
        session.close();
    }
}
