package dev.howdah.daemon.serve;

import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.Database;
import dev.howdah.console.Console;
import dev.howdah.console.ConsoleBuilder;
import dev.howdah.console.TaskTableName;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.SecretFile;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.internal.error.ErrorText;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Consoles of more databases: each at a port of its own, with its own sessions, logins, roles and audit log. The headers of all lead to the others. */
final class DatabaseConsoles implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DatabaseConsoles.class);
    private static final String NAME = "[A-Za-z0-9_-]{1,40}";
    private static final Set<String> PAGES = Set.of("http", "https");
    private static final long TABLES_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Map<String, URI> addresses = new LinkedHashMap<>();
    private final Supplier<String> name;
    private final URI address;
    private final List<AutoCloseable> opened = new ArrayList<>();

    private DatabaseConsoles(Supplier<String> name, URI address) {
        this.name = name;
        this.address = address;
    }

    /**
     * A database of the file.
     *
     * @param address by which browsers ask for its console; null: by that of its port
     * @param port null: the next that is free
     * @param openId the settings of its OpenID provider; null: that of the setting, if there is one
     */
    record Named(
            String name,
            Database database,
            @Nullable URI address,
            @Nullable Integer port,
            @Nullable Properties openId) {}

    /**
     * The databases of the file that the setting names.
     *
     * @throws CliException if a line of it cannot be understood
     */
    static List<Named> read(Configuration configuration) {
        String file = configuration.find(Setting.CONSOLE_DATABASES).orElse(null);
        if (file == null) return List.of();
        try {
            Properties lines = new Properties();
            lines.load(new StringReader(SecretFile.text(Setting.CONSOLE_DATABASES.flag(), Path.of(file))));
            Map<String, String> values = new TreeMap<>();
            for (String key : lines.stringPropertyNames())
                values.put(key, lines.getProperty(key).strip());
            List<Named> named = new ArrayList<>();
            for (String name : List.copyOf(values.keySet()))
                if (name.matches(NAME)) named.add(named(name, String.valueOf(values.remove(name)), values));
            if (!values.isEmpty()) throw new IllegalArgumentException("unknown: " + String.join(", ", values.keySet()));
            return named;
        } catch (IOException | IllegalArgumentException e) {
            throw CliException.usage(Setting.CONSOLE_DATABASES.flag() + ": " + file + ": " + e.getMessage());
        }
    }

    private static Named named(String name, String url, Map<String, String> values) {
        Database database = Database.of(url);
        String address = values.remove(name + ".address");
        String port = values.remove(name + ".port");
        String openId = values.remove(name + ".oidc");
        URI browsers = address == null ? null : URI.create(address);
        if (browsers != null && (browsers.getHost() == null || !PAGES.contains(String.valueOf(browsers.getScheme()))))
            throw new IllegalArgumentException(name + ".address is no address of a page: " + address);
        return new Named(
                name,
                database,
                browsers,
                port == null ? null : port(name, port),
                openId == null
                        ? null
                        : ConsoleService.provider(
                                Setting.CONSOLE_DATABASES.flag() + ": " + name + ".oidc", Path.of(openId)));
    }

    private static int port(String name, String text) {
        int port = text.matches("\\d{1,5}") ? Integer.parseInt(text) : 0;
        if (port < 1 || port > 65_535)
            throw new IllegalArgumentException(name + ".port is a number from 1 to 65535, not " + text);
        return port;
    }

    /**
     * Starts a console for each.
     *
     * @param name of the database of the daemon's own console
     * @param address of the daemon's own console
     * @param port of the daemon's own console
     */
    static DatabaseConsoles start(
            Configuration configuration, List<Named> named, Supplier<String> name, URI address, int port) {
        DatabaseConsoles consoles = new DatabaseConsoles(name, address);
        boolean isAnyPort = configuration.find(Setting.PORT).orElse("").equals("0");
        for (Named each : named)
            try {
                consoles.open(configuration, each, isAnyPort ? 0 : port + 1);
            } catch (RuntimeException e) {
                log.warn("there is no console of {}: {}", each.name(), ErrorText.line(e));
            }
        return consoles;
    }

    private void open(Configuration configuration, Named named, int next) {
        Database database = named.database();
        HikariDataSource pool = ConsoleService.pool(database);
        opened.add(pool);
        ConsoleBuilder builder = ConsoleService.builder(Console.on(pool), configuration)
                .schema(configuration.text(Setting.INSTALLATION))
                .login(true)
                .label(named.name())
                .startSweeps(new SessionSource(database.with("application_name", "howdah console sweep")))
                .workerSessions(new SessionSource(database.with("application_name", "howdah http workers")))
                .programSettings(configuration.shown())
                .taskTables(tables(configuration, pool))
                .databaseName(ConsoleService.shown(database))
                .otherConsoles(() -> others(named.name()));
        if (named.openId() != null) builder.openId(named.openId());
        URI address = named.address();
        if (address != null) {
            builder.hosts(List.of(address.getAuthority()));
            builder.basePath(address.getPath().replaceAll("/+$", ""));
        }
        if (named.port() != null) builder.port(named.port());
        else if (next == 0) builder.port(0);
        else builder.portOrNext(next);
        Console console = builder.start();
        // Before its pool.
        opened.add(0, console);
        synchronized (addresses) {
            addresses.put(named.name(), address == null ? console.address() : address);
        }
        log.info("the console of {} is at {}", named.name(), console.address());
    }

    /** The consoles beside that one; null: beside the daemon's own. */
    Map<String, URI> others(@Nullable String than) {
        Map<String, URI> others = new LinkedHashMap<>();
        if (than != null) others.put(name.get(), address);
        synchronized (addresses) {
            others.putAll(addresses);
        }
        if (than != null) others.remove(than);
        return others;
    }

    /** The table of tasks, if the database has it, which is looked up every ten seconds at most. */
    private static Supplier<List<TaskTableName>> tables(Configuration configuration, DataSource pool) {
        TaskTableName table = new TaskTableName(configuration.text(Setting.SCHEMA), configuration.text(Setting.TABLE));
        return new Supplier<>() {
            private List<TaskTableName> known = List.of();
            private long asked;

            @Override
            public synchronized List<TaskTableName> get() {
                if (asked != 0 && System.nanoTime() - asked < TABLES_NANOS) return known;
                asked = System.nanoTime();
                try (Connection connection = pool.getConnection();
                        PreparedStatement statement =
                                connection.prepareStatement("SELECT to_regclass(format('%I.%I', ?, ?)) IS NOT NULL")) {
                    statement.setString(1, table.schema());
                    statement.setString(2, table.table());
                    try (ResultSet row = statement.executeQuery()) {
                        known = row.next() && row.getBoolean(1) ? List.of(table) : List.of();
                    }
                } catch (SQLException e) {
                    // What is known stays: the page says itself that the database does not answer.
                    log.debug("tables of tasks are not known now", e);
                }
                return known;
            }
        };
    }

    @Override
    public void close() {
        for (AutoCloseable each : opened)
            try {
                each.close();
            } catch (Exception e) {
                log.debug("a console did not close", e);
            }
    }
}
