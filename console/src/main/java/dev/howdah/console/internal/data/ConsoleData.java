package dev.howdah.console.internal.data;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.operations.SourceEngine;
import dev.howdah.operations.store.AccessTokens;
import dev.howdah.process.client.ProcessClient;
import dev.howdah.spi.JacksonPayloadCodec;
import dev.howdah.spi.Metrics;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.task.TaskTable;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What the pages read from and change. Safe for use by many threads.
 *
 * @param source of connections
 * @param schema of the tables of jobs and processes
 * @param tables of tasks, asked for at each request
 * @param metrics of requests to processes
 * @param tokens of this console
 */
public record ConsoleData(
        DataSource source, String schema, Supplier<List<TableName>> tables, Metrics metrics, AccessTokens tokens)
        implements SourceEngine {
    /** A table of tasks. */
    public record TableName(String schema, String table) {
        /** As addresses and lists name it. */
        public String text() {
            return schema + "." + table;
        }
    }

    public TaskTable tasks(TableName name) {
        return TaskTable.on(source, name.schema(), name.table());
    }

    /**
     * The table of tasks of that name; null: the first one.
     *
     * @throws IllegalArgumentException if there is none, or none of that name
     */
    public TableName table(@Nullable String wanted) {
        List<TableName> all = tables.get();
        for (TableName each : all) if (wanted == null || each.text().equals(wanted)) return each;
        throw new IllegalArgumentException(
                all.isEmpty()
                        ? "no table of tasks is served here"
                        : "table has to be one of "
                                + all.stream().map(TableName::text).collect(Collectors.joining(", ")) + ", not \""
                                + wanted + "\"");
    }

    @Override
    public TaskTable tasks(@Nullable String table) {
        return tasks(table(table));
    }

    @Override
    public PayloadCodec codec() {
        return JacksonPayloadCodec.of(new ObjectMapper());
    }

    public ProcessClient processClient() {
        return ProcessClient.on(source, codec(), schema).metrics(metrics);
    }
}
