package dev.howdah.daemon.config;

import dev.howdah.Database;
import dev.howdah.daemon.console.CliException;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.text.Identifiers;
import dev.howdah.task.TaskTable;
import dev.howdah.task.TaskTuning;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables to serve, as Howdah's configuration or the server's settings say it now, with everything that an
 * entry leaves open; and sees to it that their databases and roles are there.
 */
public final class TableList {
    private static final Logger log = LoggerFactory.getLogger(TableList.class);
    private static final SqlFile SQL = SqlFile.of(TableList.class, "tables.sql");
    private static final String DUPLICATE_DATABASE = "42P04";
    private static final String DUPLICATE_ROLE = "42710";

    private final Database database;
    private final Optional<String> configured;
    private final boolean one;
    private final boolean creates;

    /**
     * @param configured the list, where Howdah's own configuration has one
     * @param one whether it names one table instead, and the server's settings do not count
     * @param creates whether databases and roles that are missing are to be made
     */
    private TableList(Database database, Optional<String> configured, boolean one, boolean creates) {
        this.database = database;
        this.configured = configured;
        this.one = one;
        this.creates = creates;
    }

    /** The one that the configuration asks for. */
    public static TableList of(Configuration configuration, Database database) {
        boolean one = configuration.given(Setting.SCHEMA) || configuration.given(Setting.TABLE);
        try {
            TaskTable.checkName(configuration.text(Setting.SCHEMA), configuration.text(Setting.TABLE));
        } catch (IllegalArgumentException e) {
            throw CliException.usage("--table: " + e.getMessage());
        }
        Optional<String> json = configuration.find(Setting.TABLES);
        if (json.isPresent() && one)
            throw CliException.usage("--tables with --schema or --table: a list of tables or one table, not both");
        if (json.isPresent()) {
            try {
                PgTaskJson.parse(json.get());
            } catch (PgTaskJson.Invalid e) {
                throw CliException.usage("--tables: " + e.getMessage());
            }
        }
        return new TableList(
                database, json, one, configuration.text(Setting.CREATE).equals("on"));
    }

    /**
     * The result of a reading.
     *
     * @param troubles entries that cannot be served now, and why
     * @param unclear the databases of those entries: what is served there already goes on
     */
    public record Found(List<ServedTable> tables, Map<String, String> troubles, Set<String> unclear) {}

    private record Defaults(@Nullable String json, String data, String user, String role) {}

    /** What is set anywhere; none if nothing is. */
    public Optional<Found> read() throws SQLException, PgTaskJson.Invalid {
        if (one) return Optional.empty();
        try (Connection connection = database.connect()) {
            Defaults defaults = defaults(connection);
            String json = configured.orElse(defaults.json());
            if (json == null) return Optional.empty();
            return Optional.of(complete(PgTaskJson.parse(json), defaults, connection));
        }
    }

    /** The databases of what is set anywhere, also of entries that cannot be served now; none if nothing is set. Makes nothing. */
    public Set<String> databases() throws SQLException, PgTaskJson.Invalid {
        if (one) return Set.of();
        try (Connection connection = database.connect()) {
            Defaults defaults = defaults(connection);
            String json = configured.orElse(defaults.json());
            Set<String> names = new LinkedHashSet<>();
            if (json != null) for (PgTaskJson.Entry each : PgTaskJson.parse(json)) names.add(data(each, defaults));
            return names;
        }
    }

    private static String data(PgTaskJson.Entry entry, Defaults defaults) {
        return entry.data() != null ? entry.data() : Objects.requireNonNullElse(entry.user(), defaults.data());
    }

    private static Defaults defaults(Connection connection) throws SQLException {
        try (PreparedStatement statement = SQL.statement("served_list").prepare(connection);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return new Defaults(
                    row.getString("json"), row.getString("data"), row.getString("user"), row.getString("role"));
        }
    }

    private Found complete(List<PgTaskJson.Entry> entries, Defaults defaults, Connection connection) {
        Map<ServedTable.Key, ServedTable> tables = new LinkedHashMap<>();
        Map<String, String> troubles = new LinkedHashMap<>();
        Set<String> unclear = new HashSet<>();
        Map<String, Map<String, String>> known = new HashMap<>();
        for (int i = 0; i < entries.size(); i++) {
            PgTaskJson.Entry entry = entries.get(i);
            String data = data(entry, defaults);
            String user =
                    entry.user() != null ? entry.user() : Objects.requireNonNullElse(entry.data(), defaults.user());
            String name = "entry " + (i + 1) + " (database \"" + data + "\", role \"" + user + "\")";
            try {
                String missing = provide(user, data, connection);
                if (missing != null) {
                    troubles.put(name, missing);
                    unclear.add(data);
                    continue;
                }
                Map<String, String> fallbacks = known.get(data + "\0" + user);
                if (fallbacks == null) {
                    fallbacks = fallbacks(data, user);
                    known.put(data + "\0" + user, fallbacks);
                }
                ServedTable table = table(entry, data, user.equals(defaults.role()) ? "" : user, fallbacks, connection);
                ServedTable other = tables.putIfAbsent(table.key(), table);
                if (other != null)
                    log.warn(
                            "{} names the table {} once more{}: it has one scheduler, that of the entry before",
                            name,
                            table.key(),
                            other.user().equals(table.user()) ? "" : ", for another role");
            } catch (SQLException | PgTaskJson.Invalid e) {
                troubles.put(name, String.valueOf(e.getMessage()));
                unclear.add(data);
            }
        }
        return new Found(List.copyOf(tables.values()), troubles, unclear);
    }

    private static ServedTable table(
            PgTaskJson.Entry entry, String data, String user, Map<String, String> fallbacks, Connection connection)
            throws PgTaskJson.Invalid, SQLException {
        String schema = entry.schema() != null ? entry.schema() : fallbacks.getOrDefault("schema", "public");
        String table = entry.table() != null ? entry.table() : fallbacks.getOrDefault("table", "task");
        Integer sleep = entry.sleep() != null ? entry.sleep() : number("sleep", fallbacks);
        Integer run = entry.run() != null ? entry.run() : number("run", fallbacks);
        String reset = entry.reset() != null ? entry.reset() : fallbacks.get("reset");
        Duration slept = sleep == null ? null : Duration.ofMillis(sleep);
        try {
            TaskTable.checkName(schema, table);
        } catch (IllegalArgumentException e) {
            throw new PgTaskJson.Invalid(String.valueOf(e.getMessage()));
        }
        return new ServedTable(
                data,
                user,
                schema,
                table,
                new TaskTuning(slept, reset == null ? null : interval(reset, connection), run));
    }

    private static @Nullable Integer number(String name, Map<String, String> fallbacks) {
        String value = fallbacks.get(name);
        if (value == null) return null;
        if (value.strip().matches("\\d{1,9}")) return Integer.valueOf(value.strip());
        log.warn("pg_task.{} = '{}' is not a number from 0 on; the default is used", name, value);
        return null;
    }

    private static Duration interval(String text, Connection connection) throws PgTaskJson.Invalid, SQLException {
        try (PreparedStatement statement = SQL.statement("served_seconds").prepare(connection, text);
                ResultSet row = statement.executeQuery()) {
            row.next();
            double seconds = row.getDouble("seconds");
            if (seconds > 0) return Duration.ofMillis((long) Math.max(Math.min(seconds, 1e9) * 1000, 1));
        } catch (SQLException e) {
            if (!String.valueOf(e.getSQLState()).startsWith("22")) throw e;
        }
        throw new PgTaskJson.Invalid(
                "\"reset\" has to be an interval above 0, such as \"1 hour\", not \"" + text + "\"");
    }

    private Map<String, String> fallbacks(String data, String user) throws SQLException {
        Map<String, String> values = new HashMap<>();
        try (Connection connection = database.withDatabase(data).connect();
                PreparedStatement statement = SQL.statement("served_fallbacks").prepare(connection, user);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                String value = row.getString("value");
                if (value != null) values.put(row.getString("name"), value);
            }
        }
        return values;
    }

    private record Place(
            boolean hasRole,
            boolean hasDatabase,
            boolean member,
            boolean superuser,
            boolean mayCreateRole,
            boolean mayCreateDatabase) {}

    /** Makes what is missing; returns what an administrator has to do if that is impossible, null if all is there. */
    private @Nullable String provide(String user, String data, Connection connection) throws SQLException {
        SqlFile named = SQL.with(Map.of("role", Identifiers.quote(user), "database", Identifiers.quote(data)));
        Place place = place(user, data, connection);
        if (!place.hasRole()) {
            String create = "CREATE ROLE " + Identifiers.quote(user) + " LOGIN";
            if (!creates || !place.mayCreateRole())
                return "there is no role \"" + user + "\"" + reason(place.mayCreateRole(), create);
            make(named.text("served_create_role"), DUPLICATE_ROLE, connection);
            log.info("made the role \"{}\"", user);
            if (!place.superuser()) make(named.text("served_join_role"), DUPLICATE_ROLE, connection);
        } else if (!place.member()) {
            return "role \"" + database.user() + "\" may not act as role \"" + user + "\": GRANT "
                    + Identifiers.quote(user) + " TO " + Identifiers.quote(database.user());
        }
        if (!place.hasDatabase()) {
            String create = "CREATE DATABASE " + Identifiers.quote(data) + " OWNER " + Identifiers.quote(user);
            if (!creates || !place.mayCreateDatabase())
                return "there is no database \"" + data + "\"" + reason(place.mayCreateDatabase(), create);
            make(named.text("served_create_database"), DUPLICATE_DATABASE, connection);
            log.info("made the database \"{}\" for the role \"{}\"", data, user);
        }
        return null;
    }

    private String reason(boolean allowed, String statement) {
        return (creates && !allowed
                        ? ", and role \"" + database.user() + "\" may not make it"
                        : ", and --create is off")
                + ": " + statement;
    }

    private static Place place(String user, String data, Connection connection) throws SQLException {
        try (PreparedStatement statement = SQL.statement("served_place").prepare(connection, user, data);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return new Place(
                    row.getBoolean("has_role"),
                    row.getBoolean("has_database"),
                    row.getBoolean("member"),
                    row.getBoolean("superuser"),
                    row.getBoolean("may_create_role"),
                    row.getBoolean("may_create_database"));
        }
    }

    /** Another one may make the same at the same time. */
    private static void make(String sql, String duplicate, Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            if (!duplicate.equals(e.getSQLState()) && !"23505".equals(e.getSQLState())) throw e;
        }
    }
}
