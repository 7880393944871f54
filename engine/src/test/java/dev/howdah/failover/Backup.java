package dev.howdah.failover;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The tables and sequences of the schema {@code howdah} at a moment, and their restoration in the same database: in one
 * transaction, as {@code pg_restore --clean --single-transaction} does, so that all objects get other oids.
 */
final class Backup {
    private static final String SAVED = "saved";

    private final TestDatabase database;
    private final List<String> tables = new ArrayList<>();
    private final List<String> days = new ArrayList<>();
    private final Map<String, String> sequences = new LinkedHashMap<>();

    private Backup(TestDatabase database) {
        this.database = database;
    }

    /** Where the rows of a table are kept. */
    private static String saved(String table) {
        return SAVED + table.substring(table.indexOf('.'));
    }

    /** A copy of one snapshot. */
    static Backup of(TestDatabase database) throws SQLException {
        Backup made = new Backup(database);
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            statement.execute("CREATE SCHEMA " + SAVED);
            made.tables.addAll(strings(
                    statement,
                    "SELECT oid::regclass FROM pg_class WHERE relnamespace::regnamespace::text ~ '^howdah' AND relkind IN ('r', 'p')"
                            + " AND NOT relispartition ORDER BY relname"));
            made.days.addAll(strings(
                    statement,
                    "SELECT to_date(substr(relname, 7), 'YYYYMMDD')::text FROM pg_class"
                            + " WHERE relnamespace::regnamespace::text ~ '^howdah' AND relname ~ '^batch_[0-9]{8}$'"));
            for (String table : made.tables) statement.execute("CREATE TABLE " + saved(table) + " AS TABLE " + table);
            for (String sequence : strings(
                    statement,
                    "SELECT oid::regclass FROM pg_class WHERE relnamespace::regnamespace::text ~ '^howdah' AND relkind = 'S'"))
                made.sequences.put(
                        sequence,
                        strings(statement, "SELECT last_value || ', ' || is_called FROM " + sequence)
                                .get(0));
            connection.commit();
        }
        return made;
    }

    private static List<String> strings(Statement statement, String sql) throws SQLException {
        List<String> all = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) all.add(rows.getString(1));
        }
        return all;
    }

    void restore() throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("DROP SCHEMA howdah, howdah_internal CASCADE");
            statement.execute(Jobs.schema());
            statement.execute(Processes.schema());
            statement.execute(Sweep.schema());
            // As pg_restore does it: no trigger sees the rows come.
            statement.execute("SET LOCAL session_replication_role = replica");
            for (String day : days) statement.execute("SELECT howdah_internal.make_day('" + day + "')");
            for (String table : tables) copyBack(statement, table, saved(table));
            for (Map.Entry<String, String> sequence : sequences.entrySet())
                statement.execute("SELECT setval('" + sequence.getKey() + "', " + sequence.getValue() + ")");
            connection.commit();
        }
    }

    /** Replaces the rows of a table by saved ones. */
    static void copyBack(Statement statement, String table, String saved) throws SQLException {
        String list = String.join(
                ", ",
                strings(
                        statement,
                        "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = '" + table
                                + "'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''"));
        statement.execute("DELETE FROM " + table);
        statement.execute(
                "INSERT INTO " + table + " (" + list + ") OVERRIDING SYSTEM VALUE SELECT " + list + " FROM " + saved);
    }
}
