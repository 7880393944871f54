package dev.howdah.daemon.cli.sweep;

import dev.howdah.daemon.console.CliException;
import dev.howdah.sweep.SweepBuilder;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options that say which rows a sweep goes over, and how one is marked. */
final class SweepRows {
    /** Commas outside of double quotes. */
    private static final String COMMAS = ",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)";

    @Option(names = "--name", paramLabel = "NAME", description = "Its name; a command with the same name joins it.")
    private @Nullable String name;

    @Option(names = "--table", paramLabel = "TABLE", description = "The table, or a view of one.")
    private @Nullable String table;

    @Option(
            names = "--where",
            paramLabel = "CONDITION",
            description = "Condition of the rows that are still to do; :started in it is when the sweep began.")
    private @Nullable String where;

    @Option(
            names = "--key",
            paramLabel = "COLUMN,...",
            description = "The key, of one or several columns: unique and never NULL.")
    private @Nullable String key;

    @Option(
            names = "--mark",
            paramLabel = "SQL",
            description =
                    "Assignments that mark a row as done, as in UPDATE ... SET: they have to make the condition false.")
    private @Nullable String mark;

    @Option(
            names = "--order-by",
            paramLabel = "COLUMN",
            description = "Approximate order of the rows; DESC reverses it (default: the key).")
    private @Nullable String order;

    @Option(
            names = "--run-column",
            paramLabel = "COLUMN",
            description =
                    "Stamp the rows with the number of the run in this column first, and process only these; for an"
                            + " order that no index has together with the condition.")
    private @Nullable String runColumn;

    @Option(
            names = "--run-table",
            description = "The same without a column: the numbers are kept in a table of Howdah's.")
    private boolean runTable;

    /**
     * Looks whether all is there that a sweep needs.
     *
     * @param marksItself whether the work may mark rows
     */
    void check(CommandLine command, boolean marksItself) {
        Map<String, @Nullable String> needed = new LinkedHashMap<>();
        needed.put("--name", name);
        needed.put("--table", table);
        needed.put("--where", where);
        needed.put("--key", key);
        if (!marksItself) needed.put("--mark", mark);
        needed.values().removeIf(value -> value != null && !value.isBlank());
        if (!needed.isEmpty()) throw new ParameterException(command, "missing " + String.join(", ", needed.keySet()));
    }

    String name() {
        return String.valueOf(name);
    }

    void tell(SweepBuilder builder) {
        builder.name(name())
                .table(String.valueOf(table))
                .where(String.valueOf(where))
                .key(columns());
        if (mark != null) builder.mark(mark);
        if (order != null) builder.orderBy(order);
        if (runColumn != null && runTable) throw CliException.usage("--run-column, --run-table: only one of them");
        if (runColumn != null) builder.runColumn(runColumn);
        if (runTable) builder.runTable();
    }

    private String[] columns() {
        List<String> columns = Arrays.stream(String.valueOf(key).split(COMMAS, -1))
                .map(String::strip)
                .toList();
        if (columns.stream().anyMatch(String::isEmpty))
            throw CliException.usage("--key has to be a column, or several with commas between, not \"" + key + "\"");
        return columns.toArray(String[]::new);
    }
}
