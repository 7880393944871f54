package dev.howdah.daemon.cli.operation;

import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.work.PlainJsonCodec;
import dev.howdah.health.DatabaseHealth;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.job.JobAdmin;
import dev.howdah.job.Jobs;
import dev.howdah.job.Schedules;
import dev.howdah.operations.Engine;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.store.AccessTokens;
import dev.howdah.operations.store.AuditStore;
import dev.howdah.operations.store.TokenStore;
import dev.howdah.process.Notices;
import dev.howdah.process.ProcessReader;
import dev.howdah.sweep.Sweeps;
import dev.howdah.task.TaskTable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The features of the installation that the settings of a command name. */
public final class CommandEngine implements Engine {
    private final CommandTarget target;
    private final DataSource source;
    private final String schema;

    public CommandEngine(CommandTarget target, DataSource source, SchemaName schema) {
        this.target = target;
        this.source = source;
        this.schema = schema.name();
    }

    @Override
    public JobAdmin jobs() {
        return Jobs.on(source).schema(schema).admin();
    }

    @Override
    public Schedules schedules() {
        return Jobs.on(source).schema(schema).schedules();
    }

    @Override
    public Sweeps sweeps() {
        return Sweeps.on(source);
    }

    @Override
    public ProcessReader processes() {
        return ProcessReader.on(source, new PlainJsonCodec(), schema);
    }

    @Override
    public Notices notices() {
        return Notices.on(source, schema);
    }

    @Override
    public TaskTable tasks(@Nullable String table) {
        return TaskTable.on(source, target.schema(), target.table());
    }

    @Override
    public DatabaseHealth health() {
        return DatabaseHealth.on(source).schema(schema);
    }

    @Override
    public AccessTokens tokens() {
        return new TokenStore(source, schema);
    }

    @Override
    public TokenStore storedTokens() {
        return new TokenStore(source, schema);
    }

    @Override
    public AuditStore audit() {
        return new AuditStore(source, schema);
    }

    @Override
    public EngineReads reads() {
        return new EngineReads(source, schema);
    }
}
