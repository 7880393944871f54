package dev.howdah.internal.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of one feature, version by version. Immutable and safe for use by many threads and programs: a second one
 * waits for the first.
 */
public final class Migrations {
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final Logger log = LoggerFactory.getLogger(Migrations.class);
    private static final SqlFile MIGRATION = SqlFile.of(Migrations.class, "migration.sql");

    private static final Pattern MADE = Pattern.compile(
            "(?m)^CREATE (?:OR REPLACE )?(TABLE|VIEW|SEQUENCE|FUNCTION|PROCEDURE) (howdah\\w*)\\.(\\w+)");

    /** As psql has it: the text of a file that lies beside this one. */
    private static final Pattern INCLUDED = Pattern.compile("(?m)^\\\\ir (\\S+)$");

    /** How long transactions of others may block the change. */
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private static final long PAUSE_MILLIS = 500;
    private static final String UNUSABLE = "0A000";

    private final String feature;
    private final String what;
    private final Class<?> owner;
    private final List<String> files;
    private final List<Migrations> parts;

    /**
     * @param feature its name in {@code howdah.migration}
     * @param what the things in its tables, for messages
     * @param owner the class beside which the files lie
     * @param files in the order of their versions, from 1; each ends with the INSERT that records its version, and may
     *     consist of others ({@code \ir name}, as in psql)
     * @param parts tables that the feature shares with others; brought up to date before those of the feature
     */
    public Migrations(String feature, String what, Class<?> owner, List<String> files, Migrations... parts) {
        this.feature = feature;
        this.what = what;
        this.owner = owner;
        this.files = List.copyOf(files);
        this.parts = List.of(parts);
    }

    /**
     * Brings the tables to the newest version, in that connection, which is in autocommit mode before and after. Other
     * programs go on meanwhile: it blocks no session for longer than 0.3 s at a time, and tries again while a
     * transaction of another session blocks it. Tables that are newer than this program are left as they are.
     *
     * @throws SQLException also if the server is older than PostgreSQL 12, if this program cannot work with the tables,
     *     because they are too new or were made by an unreleased version, or if transactions have blocked it for too long
     */
    public void migrate(Connection connection) throws SQLException {
        OlderServers.checkTables(connection, what);
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
                ResultSet row = statement.executeQuery(MIGRATION.text("migration_lock_holder"))) {
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

    /**
     * Returns whether {@link #migrate} would change nothing.
     *
     * @throws SQLException also if this program cannot work with the tables
     */
    public boolean isCurrent(Connection connection) throws SQLException {
        if (version(connection) < files.size()) return false;
        for (Migrations each : parts) if (!each.isCurrent(connection)) return false;
        return true;
    }

    private void once(Connection connection) throws SQLException {
        if (isCurrent(connection)) return;
        Transactions.run(connection, () -> {
            try (Statement statement = connection.createStatement()) {
                // Any role that may connect can hold the lock: the program is not to hang then.
                statement.execute(MIGRATION.text("migration_lock_timeout"));
                statement.execute(MIGRATION.text("migration_lock"));
                statement.execute(MIGRATION.text("migration_search_path"));
                statement.execute(MIGRATION.text("migration_create"));
                for (Migrations each : parts) each.advance(connection, statement);
                advance(connection, statement);
            }
        });
    }

    private void advance(Connection connection, Statement statement) throws SQLException {
        int from = version(connection);
        if (from == 0) checkNoTables(connection);
        for (int version = from + 1; version <= files.size(); version++) {
            statement.execute(file(version));
            log.info("the tables of {} are at version {}", what, version);
        }
    }

    private void checkNoTables(Connection connection) throws SQLException {
        String[] names = MADE.matcher(file(1))
                .results()
                .filter(made -> !isRoutine(made))
                .map(made -> made.group(3))
                .toArray(String[]::new);
        for (String found : texts(connection, MIGRATION.statement("migration_unknown_tables"), (Object) names))
            throw new SQLException(
                    found + " exists, and howdah.migration has no version of the tables of " + what
                            + ": another program made it, or an unreleased version of Howdah, which cannot be brought up to"
                            + " date. Keep Howdah's tables in another schema (installation); or, if nothing in the schema is"
                            + " of another program, remove it with its rows (DROP SCHEMA IF EXISTS howdah, howdah_internal CASCADE)",
                    UNUSABLE);
    }

    private String file(int version) {
        return INCLUDED.matcher(SqlFile.read(owner, files.get(version - 1)))
                .replaceAll(line -> Matcher.quoteReplacement(SqlFile.read(owner, line.group(1))));
    }

    /** The SQL that creates the tables in a database that has none, as one transaction. */
    public String text() {
        StringBuilder text = new StringBuilder("BEGIN;\n");
        for (String name : List.of("migration_search_path", "migration_create"))
            text.append('\n').append(MIGRATION.text(name)).append(";\n");
        for (Migrations each : parts) text.append('\n').append(each.asPart());
        for (int version = 1; version <= files.size(); version++)
            text.append('\n').append(file(version));
        return text.append("\nCOMMIT;\n").toString();
    }

    /** The SQL that makes what is missing of this part, for a script that may meet it in any version. */
    private String asPart() {
        StringBuilder text = new StringBuilder();
        for (int version = 1; version <= files.size(); version++)
            text.append(MIGRATION
                            .with(Map.of(
                                    "part",
                                    "'" + feature + "'",
                                    "step",
                                    Integer.toString(version),
                                    "statements",
                                    file(version)))
                            .text("migration_part"))
                    .append(";\n");
        return text.toString();
    }

    /**
     * The SQL that brings the tables from one version to another, for a program that runs it in its own transaction.
     * Each version is a changeset of Liquibase; Flyway takes the text as it is.
     *
     * @param from the version that the tables have, 0 if there are none
     * @throws IllegalArgumentException if there are no such versions
     */
    public String text(int from, int to) {
        if (from < 0 || from >= to || to > files.size())
            throw new IllegalArgumentException("no steps from version " + from + " to " + to + ": the tables of " + what
                    + " have the versions 1 to " + files.size()
                    + ", and 0 stands for none; a step leads from a version to a later one");
        StringBuilder text = new StringBuilder("--liquibase formatted sql\n");
        for (int version = from + 1; version <= to; version++) {
            SqlFile step = MIGRATION.with(Map.of(
                    "feature",
                    "'" + feature + "'",
                    "before",
                    Integer.toString(version - 1),
                    "subject",
                    "'" + what + "'"));
            text.append(
                    "\n--changeset howdah:" + feature + "-" + version + " splitStatements:false stripComments:false\n");
            for (String name : List.of("migration_step_begin", "migration_create", "migration_step_check"))
                text.append(step.text(name)).append(";\n\n");
            for (Migrations each : parts) text.append(each.asPart()).append('\n');
            text.append(file(version)).append('\n');
            text.append(step.text("migration_step_end")).append(";\n");
        }
        return text.toString();
    }

    /** The files, in the order of their versions. */
    public List<String> files() {
        return files;
    }

    /**
     * Drops all that these files have created, in the transaction of that connection; the parts as well, if no other
     * feature has tables; and then the schemas, if nothing else is in them. Refused while an object of a user depends on it, which the message names.
     */
    public void remove(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(MIGRATION.text("migration_lock"));
            try (ResultSet row = statement.executeQuery(MIGRATION.text("migration_state"))) {
                // No feature has tables here.
                if (!row.next() || !row.getBoolean(1)) return;
            }
            drop(connection, statement);
            List<String> shared = new ArrayList<>();
            parts.forEach(each -> shared.add(each.feature));
            if (!parts.isEmpty() && !hasOthers(connection, shared))
                for (Migrations each : parts) each.drop(connection, statement);
            run(connection, statement, "migration_drop");
        }
        dropEmptySchema(connection);
    }

    /** Drops the schema, if it is there and nothing is left in it but the mark that everything is paused. */
    public static void dropEmptySchema(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String name : List.of("pause_drop_last", "schema_drop")) run(connection, statement, name);
        }
    }

    private static boolean hasOthers(Connection connection, List<String> parts) throws SQLException {
        return texts(connection, MIGRATION.statement("migration_others"), (Object) parts.toArray(String[]::new))
                .contains("t");
    }

    private void drop(Connection connection, Statement statement) throws SQLException {
        List<MatchResult> made = new ArrayList<>();
        for (int version = 1; version <= files.size(); version++)
            MADE.matcher(file(version)).results().forEach(made::add);
        // An unreleased version had all in one schema.
        boolean together = unreleased(connection) != null;
        Predicate<String> shown = each -> together || each.equals(SchemaName.DEFAULT);
        Predicate<String> hidden = SchemaName.INTERNAL::equals;
        // Functions that are made by others, for drivers, have their names.
        Object routines = names(made, true, each -> true);
        run(connection, statement, "function_drop", routines, routines, false);
        for (String name : List.of("view_drop", "table_drop", "sequence_drop"))
            run(connection, statement, name, names(made, false, shown), names(made, false, hidden));
        run(connection, statement, "function_drop", routines, routines, true);
        texts(connection, MIGRATION.statement("migration_forget"), feature);
    }

    /** Runs what a statement says is to be run. */
    private static void run(Connection connection, Statement statement, String name, Object... values)
            throws SQLException {
        for (String each : texts(connection, MIGRATION.statement(name), values)) statement.execute(each);
    }

    private static Object names(List<MatchResult> made, boolean routines, Predicate<String> schema) {
        return made.stream()
                .filter(each -> isRoutine(each) == routines && schema.test(each.group(2)))
                .map(each -> each.group(3))
                .distinct()
                .toArray(String[]::new);
    }

    private static List<String> texts(Connection connection, Sql sql, Object... values) throws SQLException {
        List<String> texts = new ArrayList<>();
        try (PreparedStatement statement = sql.prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) if (row.getString(1) != null) texts.add(row.getString(1));
        }
        return texts;
    }

    /** The version of the tables, 0 if there are none; refused if this program cannot work with them. */
    private int version(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(MIGRATION.text("migration_state"))) {
            row.next();
            if (!row.getBoolean(1)) return 0;
            if (!row.getBoolean(2)) {
                Unreleased found = namedByOtherForm(connection);
                throw new SQLException(found.sentence() + ": " + found.remedy(), UNUSABLE);
            }
        }
        try (PreparedStatement statement =
                        MIGRATION.statement("migration_version").prepare(connection, feature);
                ResultSet row = statement.executeQuery()) {
            row.next();
            int version = row.getInt(1);
            int needs = row.getInt(2);
            if (needs > files.size())
                throw new SQLException(
                        "the tables of " + what + " are of version " + version
                                + " and need a program that knows version " + needs
                                + " of them; this one knows version " + files.size() + ": it has to be upgraded",
                        UNUSABLE);
            return version;
        }
    }

    /** Tables of an unreleased version: a sentence that says so, and what can be done. */
    public record Unreleased(String sentence, String remedy) {}

    /** Whether the tables are of an unreleased version, whose numbers mean something else than those of this program; null: they are not. */
    public static @Nullable Unreleased unreleased(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(MIGRATION.text("migration_state"))) {
            row.next();
            return row.getBoolean(1) && !row.getBoolean(2) ? namedByOtherForm(connection) : null;
        }
    }

    private static Unreleased namedByOtherForm(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(MIGRATION.text("migration_unreleased"))) {
            row.next();
            String schema = row.getString(1);
            return new Unreleased(
                    "the tables in the schema " + schema + " (" + row.getString(2)
                            + ") were made by an unreleased version of Howdah, and cannot be brought up to date",
                    "if nothing in the schema is of another program, remove it with its rows (DROP SCHEMA IF EXISTS "
                            + schema + ", " + schema + "_internal CASCADE)");
        }
    }

    private static boolean isRoutine(MatchResult made) {
        return made.group(1).equals("FUNCTION") || made.group(1).equals("PROCEDURE");
    }
}
