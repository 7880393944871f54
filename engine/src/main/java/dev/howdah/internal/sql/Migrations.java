package dev.howdah.internal.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of one feature, version by version. Immutable and safe for use by many threads and programs: whoever comes
 * second waits for the first.
 */
public final class Migrations {
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final Logger log = LoggerFactory.getLogger(Migrations.class);
    private static final SqlFile MIGRATION = SqlFile.of(Migrations.class, "migration-table.sql");

    private static final Pattern MADE = Pattern.compile("(?m)^CREATE (TABLE|VIEW|FUNCTION) howdah\\.(\\w+)");

    /** For so long transactions of others may keep it from beginning. */
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private static final long PAUSE_MILLIS = 500;

    private final String feature;
    private final String what;
    private final Class<?> owner;
    private final List<String> files;

    /**
     * @param feature under which {@code howdah.migration} knows it
     * @param what its tables are of, for the log
     * @param owner the class beside which the files lie
     * @param files in the order of their versions, from 1; each says of itself which version it has made
     */
    public Migrations(String feature, String what, Class<?> owner, List<String> files) {
        this.feature = feature;
        this.what = what;
        this.owner = owner;
        this.files = List.copyOf(files);
    }

    /**
     * Brings the tables to the newest version, in that connection, which is in autocommit mode before and after. Whoever works
     * goes on meanwhile: nobody is kept waiting by it for longer than 0.3 s at a time, and while somebody's transaction
     * keeps it waiting, it waits. Tables that are newer than this program are left as they are.
     *
     * @throws SQLException also if the tables are so new that this program cannot work with them, or if transactions have
     *     kept it waiting for too long
     */
    public void migrate(Connection connection) throws SQLException {
        long until = System.nanoTime() + PATIENCE_NANOS;
        String told = "";
        while (true) {
            try {
                once(connection);
                return;
            } catch (SQLException e) {
                if (!SqlErrors.isLockNotAvailable(e) && !SqlErrors.isDeadlock(e)) throw e;
                Holder holder = holder(connection);
                // Another program that changes tables may need its time.
                if (holder != null && holder.mayMigrate()) until = System.nanoTime() + PATIENCE_NANOS;
                String who = holder == null ? "transactions of others" : holder.toString();
                if (System.nanoTime() - until > 0)
                    throw new SQLException(
                            "the tables of " + what + " could not be brought to version " + files.size() + ": " + who
                                    + " kept them locked for a minute (see pg_locks)",
                            LOCK_NOT_AVAILABLE,
                            e);
                if (!who.equals(told))
                    log.info("the tables of {} are locked by {}, and are brought up to date a little later", what, who);
                told = who;
                pause();
            }
        }
    }

    /** A session that holds the lock of migrations, and whether its role may change tables. */
    private record Holder(int pid, String role, boolean mayMigrate) {
        @Override
        public String toString() {
            return "session " + pid + " of role \"" + role + "\", which holds the advisory lock of migrations ("
                    + AdvisoryLock.MIGRATION.classId() + ", 0)"
                    + (mayMigrate ? "," : " without the right to make tables here (pg_terminate_backend ends it),");
        }
    }

    private static @Nullable Holder holder(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(MIGRATION.text("holder"))) {
            if (!row.next()) return null;
            return new Holder(row.getInt(1), row.getString(2).replaceAll("\\p{Cntrl}", "?"), row.getBoolean(3));
        }
    }

    private static void pause() throws SQLException {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted while waiting for locks", LOCK_NOT_AVAILABLE, e);
        }
    }

    private void once(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (version(statement) >= files.size()) return;
            Transactions.run(connection, () -> {
                // Any role that may connect can hold the lock: the program is not to hang then.
                statement.execute(MIGRATION.text("patience"));
                statement.execute(MIGRATION.text("lock"));
                statement.execute(MIGRATION.text("search_path"));
                // Whoever owns the tables of a feature need not have the right to make a schema.
                if (!isThere(statement))
                    for (String name : List.of("schema", "table")) statement.execute(MIGRATION.text(name));
                if (!hasNeeds(statement)) statement.execute(MIGRATION.text("needs"));
                for (int version = version(statement); version < files.size(); version++) {
                    SqlFile file = SqlFile.of(owner, files.get(version));
                    for (String name : file.names()) statement.execute(file.text(name));
                    log.info("the tables of {} are at version {}", what, version + 1);
                }
            });
        }
    }

    /** All of it as one SQL text, for those who do not let programs make tables. */
    public String text() {
        StringBuilder text = new StringBuilder("BEGIN;\n");
        for (String name : List.of("search_path", "schema", "table", "needs"))
            text.append('\n').append(MIGRATION.text(name)).append(";\n");
        for (String migration : files) {
            SqlFile file = SqlFile.of(owner, migration);
            for (String name : file.names())
                text.append('\n').append(file.text(name)).append(";\n");
        }
        return text.append("\nCOMMIT;\n").toString();
    }

    /** The files, in the order of their versions. */
    public List<String> files() {
        return files;
    }

    /**
     * Removes all that these files have made, in the transaction of that connection; the schema as well, if nothing else is
     * in it. Whatever of others depends on it keeps it from going, and is named.
     */
    public void remove(Connection connection) throws SQLException {
        Set<String> relations = new LinkedHashSet<>();
        Set<String> functions = new LinkedHashSet<>();
        for (String file : files) {
            SqlFile sql = SqlFile.of(owner, file);
            for (String name : sql.names())
                MADE.matcher(sql.text(name))
                        .results()
                        .forEach(made -> (made.group(1).equals("FUNCTION") ? functions : relations).add(made.group(2)));
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(MIGRATION.text("lock"));
            for (String name : List.of("drop_functions", "drop_views", "drop_tables", "drop_triggers"))
                for (String drop : texts(connection, MIGRATION.statement(name), (Object)
                        (name.matches("drop_(functions|triggers)") ? functions : relations).toArray(String[]::new)))
                    statement.execute(drop);
            texts(connection, MIGRATION.statement("forget"), feature);
            for (String name : List.of("drop_table", "drop_schema"))
                for (String drop : texts(connection, MIGRATION.statement(name))) statement.execute(drop);
        }
    }

    private static List<String> texts(Connection connection, Sql sql, Object... values) throws SQLException {
        List<String> texts = new ArrayList<>();
        try (PreparedStatement statement = sql.prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) if (row.getString(1) != null) texts.add(row.getString(1));
        }
        return texts;
    }

    /** Which version the tables are of; refused if this program cannot work with them. */
    private int version(Statement statement) throws SQLException {
        if (!isThere(statement)) return 0;
        try (ResultSet row = statement.executeQuery(
                "SELECT COALESCE(max(m.version), 0), COALESCE(max((pg_catalog.to_jsonb(m) ->> 'needs')::integer), 0)"
                        + " FROM howdah.migration m WHERE m.feature = '" + feature + "'")) {
            row.next();
            int version = row.getInt(1);
            int needs = row.getInt(2);
            if (needs > files.size())
                throw new SQLException(
                        "the tables of " + what + " are of version " + version
                                + " and need a program that knows version " + needs
                                + " of them; this one knows version " + files.size() + ": it has to be upgraded",
                        "0A000");
            return version;
        }
    }

    private static boolean hasNeeds(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT EXISTS (SELECT FROM pg_attribute"
                + " WHERE attrelid = 'howdah.migration'::regclass AND attname = 'needs' AND NOT attisdropped)")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    private static boolean isThere(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT to_regclass('howdah.migration') IS NOT NULL")) {
            row.next();
            return row.getBoolean(1);
        }
    }
}
