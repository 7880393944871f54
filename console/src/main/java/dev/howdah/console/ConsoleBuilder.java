package dev.howdah.console;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.console.internal.web.ConsoleServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link Console}. Not safe for use by many threads.
 */
public final class ConsoleBuilder {
    private static final int USUAL_PORT = 8080;

    /** How many ports after the wanted one are tried. */
    private static final int MORE_PORTS = 20;

    private final DataSource dataSource;
    private int port = USUAL_PORT;
    private boolean next;
    private String schema = "howdah";
    private Supplier<String> database = () -> "";
    private @Nullable String label;
    private boolean login;
    private final List<TableName> tables = new ArrayList<>();
    private Supplier<List<TableName>> allTables = () -> List.copyOf(tables);

    ConsoleBuilder(DataSource dataSource) {
        this.dataSource = Objects.requireNonNull(dataSource, "a console needs a data source, not null");
    }

    /**
     * Sets the port. Defaults to 8080.
     *
     * @param number 1 to 65535; 0 takes any free one
     * @throws IllegalArgumentException if there is no such port
     */
    public ConsoleBuilder port(int number) {
        if (number < 0 || number > 65_535)
            throw new IllegalArgumentException("a port is a number from 0 to 65535, not " + number);
        port = number;
        next = false;
        return this;
    }

    /** As {@link #port(int)}, or one of the next 20 if another program has it. */
    public ConsoleBuilder portOrNext(int number) {
        port(number);
        next = true;
        return this;
    }

    /** Sets the schema of the tables of jobs and processes. Defaults to {@code howdah}. */
    public ConsoleBuilder schema(String name) {
        schema = Objects.requireNonNull(name, "a schema has a name, not null");
        return this;
    }

    /** Adds a table of tasks. Without one there are no tasks to show. */
    public ConsoleBuilder taskTable(String inSchema, String table) {
        tables.add(new TableName(inSchema, table));
        allTables = () -> List.copyOf(tables);
        return this;
    }

    /** Sets the name of the database that is shown, such as {@code db.example/shop}; it must not hold a password. */
    public ConsoleBuilder databaseName(String shown) {
        Objects.requireNonNull(shown, "a name has a text, not null");
        return databaseName(() -> shown);
    }

    /** As {@link #databaseName(String)}, asked for at each request. */
    public ConsoleBuilder databaseName(Supplier<String> shown) {
        database = shown;
        return this;
    }

    /** Sets a word that tells this environment from others, such as {@code production}. Defaults to none. */
    public ConsoleBuilder label(@Nullable String word) {
        label = word;
        return this;
    }

    /**
     * Sets whether a browser needs a link with a key, see {@link Console#link}: on a machine with other users, whose privileges in the
     * database are not those of the data source. Defaults to no login.
     */
    public ConsoleBuilder login(boolean needed) {
        login = needed;
        return this;
    }

    /** Sets where the tables of tasks are asked for at each request, instead of {@link #taskTable}. */
    public ConsoleBuilder taskTables(Supplier<List<TaskTableName>> served) {
        allTables = () -> served.get().stream()
                .map(each -> new TableName(each.schema(), each.table()))
                .toList();
        return this;
    }

    /**
     * Begins to serve.
     *
     * @throws IllegalStateException if the port is taken
     */
    public Console start() {
        ConsoleData data = new ConsoleData(dataSource, schema, allTables);
        String version = Objects.requireNonNullElse(Console.class.getPackage().getImplementationVersion(), "");
        ConsoleServer.Settings settings = new ConsoleServer.Settings(
                "127.0.0.1", Set.of("127.0.0.1", "localhost", "[::1]"), database, label, login, version);
        int first = port;
        for (int each = first; each <= Math.min(65_535, first + (next ? MORE_PORTS : 0)); each++) {
            ConsoleServer server = ConsoleServer.start(data, settings, each);
            if (server != null) return new Console(server);
        }
        throw new IllegalStateException("port " + port + " of 127.0.0.1 is taken by another program"
                + (next ? ", and so are the next " + MORE_PORTS : ""));
    }
}
