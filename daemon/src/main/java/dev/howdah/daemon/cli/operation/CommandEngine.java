package dev.howdah.daemon.cli.operation;

import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.work.PlainJsonCodec;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.operations.SourceEngine;
import dev.howdah.operations.store.AccessTokens;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.task.TaskTable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The features of the installation that the settings of a command name. */
public final class CommandEngine implements SourceEngine {
    private final CommandTarget target;
    private final DataSource source;
    private final String schema;

    public CommandEngine(CommandTarget target, DataSource source, SchemaName schema) {
        this.target = target;
        this.source = source;
        this.schema = schema.name();
    }

    @Override
    public DataSource source() {
        return source;
    }

    @Override
    public String schema() {
        return schema;
    }

    @Override
    public PayloadCodec codec() {
        return new PlainJsonCodec();
    }

    @Override
    public TaskTable tasks(@Nullable String table) {
        return TaskTable.on(source, target.schema(), target.table());
    }

    @Override
    public AccessTokens tokens() {
        return storedTokens();
    }
}
