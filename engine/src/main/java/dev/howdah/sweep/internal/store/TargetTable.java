package dev.howdah.sweep.internal.store;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.text.Identifiers;
import dev.howdah.sweep.SweepException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The table of a sweep as the database knows it.
 *
 * @param bytes how large it is, without its indexes; of a view, the tables under it
 * @param isView whether it is one: then it has no indexes of its own
 * @param isPartitioned whether it is
 * @param isGuarded whether something on it can drop a mark or take it back: a trigger, a rule, a policy, another server
 * @param order the column by which rows go; null: those of the key
 * @param run the column with the number of the run; null: there is none
 */
public record TargetTable(
        long oid,
        String schema,
        String name,
        boolean isView,
        boolean isPartitioned,
        boolean isGuarded,
        long bytes,
        List<Column> key,
        @Nullable Column order,
        boolean descending,
        @Nullable Column run) {
    /** Their text, as {@link Column#text} has it, is the same whatever is set in a session, so that all workers try the same lock. */
    private static final Set<String> KEY_TYPES = Set.of(
            "int2",
            "int4",
            "int8",
            "numeric",
            "uuid",
            "text",
            "varchar",
            "bpchar",
            "citext",
            "date",
            "timestamptz",
            "timestamp",
            "bytea",
            "bool",
            "inet",
            "oid");

    private static final Pattern QUERY = Pattern.compile("(?i)^\\s*\\(*\\s*(SELECT|WITH|VALUES|TABLE)\\s");
    private static final Pattern DESC = Pattern.compile("(?i)^(.*?)\\s+(DESC|ASC)$");

    /** @param type as a cast takes it */
    public record Column(String name, String type, boolean isNotNull, boolean canBeKey) {
        public String quoted() {
            return Identifiers.quote(name);
        }

        /**
         * The text of a value that does not depend on the settings of a session, and that PostgreSQL reads as the same value: of times in UTC, with
         * microseconds.
         *
         * @param value an expression
         */
        public String text(String value) {
            return switch (type) {
                case "timestamp with time zone" -> time(value, value + " AT TIME ZONE 'UTC'", "+00");
                case "timestamp without time zone" -> time(value, value, "");
                case "bytea" -> "E'\\\\x' || encode(" + value + ", 'hex')";
                default -> value + "::text";
            };
        }

        private static String time(String value, String local, String zone) {
            return "CASE WHEN isfinite(" + value + ") THEN to_char(" + local + ", 'YYYY-MM-DD HH24:MI:SS.US') || '"
                    + zone
                    + "' || CASE WHEN " + local + " < timestamp '0001-01-01' THEN ' BC' ELSE '' END ELSE " + value
                    + "::text END";
        }
    }

    /** @throws SweepException if there is no such table or column, or it cannot be swept by that key */
    public static TargetTable find(DedicatedSession session, SweepDefinition definition) throws SQLException {
        if (QUERY.matcher(definition.table()).find())
            throw new SweepException("a sweep goes over a table or a view, not a query: CREATE VIEW ... AS "
                    + SqlFragment.shown(definition.table()) + ", and sweep that");
        try (ResultSet row = session.query(SweepSql.SWEEP.statement("sweep_target"), definition.table())) {
            if (!row.next()) throw new SweepException("there is no table " + definition.table() + " in this database");
            long oid = row.getLong(1);
            String kind = row.getString(4);
            if (!"rpvmf".contains(kind)) throw new SweepException(definition.table() + " is not a table or a view");
            Map<String, Column> columns = columns(session, oid);
            List<Column> key = definition.key().stream()
                    .map(each -> column(definition, columns, each))
                    .toList();
            for (Column each : key)
                if (!each.canBeKey())
                    throw new SweepException(
                            "column " + each.name() + " of " + definition.table() + " is of type " + each.type()
                                    + ": a key is a whole number, numeric, uuid, text, date, timestamp, bytea, boolean, inet, oid or an enum");
            @Nullable Column order = null;
            boolean descending = false;
            if (definition.order() != null) {
                var with = DESC.matcher(definition.order().strip());
                boolean said = with.matches();
                order = column(
                        definition,
                        columns,
                        said ? with.group(1) : definition.order().strip());
                descending = said && with.group(2).toUpperCase(Locale.ROOT).equals("DESC");
            }
            boolean isView = kind.equals("v") || kind.equals("f");
            return new TargetTable(
                    oid,
                    row.getString(2),
                    row.getString(3),
                    isView,
                    kind.equals("p"),
                    is(session, "sweep_guarded", oid),
                    row.getLong(5),
                    key,
                    order,
                    descending,
                    definition.isStamped() && !definition.hasStamps() ? run(definition, columns) : null);
        }
    }

    private static boolean is(DedicatedSession session, String question, long oid) throws SQLException {
        try (ResultSet row = session.query(SweepSql.SWEEP.statement(question), oid)) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** Returns whether row security may show rows to this session's role that it does not let it change. */
    public boolean hidesRows(DedicatedSession session) throws SQLException {
        return is(session, "sweep_hidden", oid);
    }

    private static Column run(SweepDefinition definition, Map<String, Column> columns) {
        Column run = column(definition, columns, String.valueOf(definition.run()));
        if (!Set.of("integer", "bigint").contains(run.type()))
            throw new SweepException("column " + run.name() + " of " + definition.table() + " is of type " + run.type()
                    + ": the number of a run is an integer or a bigint");
        return run;
    }

    private static Map<String, Column> columns(DedicatedSession session, long oid) throws SQLException {
        Map<String, Column> columns = new LinkedHashMap<>();
        try (ResultSet row = session.query(SweepSql.SWEEP.statement("sweep_columns"), oid)) {
            while (row.next())
                columns.put(
                        row.getString(1),
                        new Column(
                                row.getString(1),
                                row.getString(2),
                                row.getBoolean(3),
                                KEY_TYPES.contains(row.getString(4))
                                        || row.getString(5).equals("e")));
        }
        return columns;
    }

    /** A name in double quotes is taken as it is, others as PostgreSQL takes them. */
    private static Column column(SweepDefinition definition, Map<String, Column> columns, String text) {
        String name = text.strip();
        name = name.length() > 1 && name.startsWith("\"") && name.endsWith("\"")
                ? name.substring(1, name.length() - 1).replace("\"\"", "\"")
                : columns.containsKey(name) ? name : name.toLowerCase(Locale.ROOT);
        Column found = columns.get(name);
        if (found == null)
            throw new SweepException("table " + definition.table() + " has no column " + text + ", only "
                    + String.join(", ", columns.keySet()));
        return found;
    }

    /** With its schema, quoted. */
    public String qualified() {
        return Identifiers.quote(schema, name);
    }

    /** A column of it, qualified and quoted. */
    public String qualified(Column column) {
        return Identifiers.quote(name) + "." + column.quoted();
    }

    /** The names of its key's columns. */
    String[] keyNames() {
        return key.stream().map(Column::name).toArray(String[]::new);
    }

    /** Returns whether there is a unique index on its key, or on a part of it. For a view it is unknown. */
    public boolean isUnique(DedicatedSession session) throws SQLException {
        try (ResultSet row = session.query(SweepSql.SWEEP.statement("sweep_unique"), oid, keyNames())) {
            return row.next() && row.getBoolean(1);
        }
    }
}
