package dev.howdah.task.internal.store;

import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.text.Identifiers;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The table that is served, and the names of all that belongs to it. */
public record TableName(String schema, String table) {
    /** The checks that Howdah makes: each is called after a column, or what it compares. */
    public static final List<String> CHECKS = List.of(
            "active",
            "live",
            "repeat",
            "timeout",
            "count",
            "notify",
            "cron",
            "cron_or_repeat",
            "attempts",
            "backoff",
            "after",
            "duration");

    /** The indexes that Howdah makes. */
    public static final List<String> INDEXES =
            List.of("turn", "due", "busy", "parent", "waiting", "dependents", "schedule");

    private static final int LONGEST_NAME = 63;

    /**
     * @throws IllegalArgumentException if the names of what belongs to the table would be too long for PostgreSQL, which cuts
     *     them
     */
    public TableName {
        int bytes = table.getBytes(StandardCharsets.UTF_8).length;
        int most = LONGEST_NAME - longestSuffix();
        if (bytes > most)
            throw new IllegalArgumentException("the name of a table of tasks has at most " + most
                    + " bytes, because PostgreSQL takes " + LONGEST_NAME
                    + " for names such as " + table + "_cron_or_repeat_check; \"" + table + "\" has " + bytes);
    }

    private static int longestSuffix() {
        return Stream.concat(
                        CHECKS.stream().map(each -> "_" + each + "_check"),
                        INDEXES.stream().map(each -> "_" + each + "_idx"))
                .mapToInt(String::length)
                .max()
                .orElse(0);
    }

    public String quoted() {
        return Identifiers.quote(schema, table);
    }

    /** A function of ours. */
    public String function(String what) {
        return Identifiers.quote(schema, table + "_" + what);
    }

    public String sequence() {
        return Identifiers.quote(schema, table + "_id_seq");
    }

    public String guardFunction() {
        return Identifiers.quote(schema, table + "_guard");
    }

    /** The statements of a file of the task door, for this table. */
    public SqlFile sql(String file) {
        return sql(file, Identifiers.quote(schema, "state"));
    }

    /** @param state the type of the column of that name, quoted */
    public SqlFile sql(String file, String state) {
        Map<String, String> names = new HashMap<>();
        names.put("schema", Identifiers.quote(schema));
        names.put("table", quoted());
        names.put("literal", "'" + quoted().replace("'", "''") + "'");
        names.put("state", state);
        names.put("done", function("done"));
        names.put("sequence", sequence());
        for (String trigger : List.of("wake_up", "ring", "after", "hash", "parent")) {
            names.put(trigger, function(trigger));
            names.put(trigger + "_name", Identifiers.quote(table + "_" + trigger));
        }
        names.put("cron", function("cron"));
        names.put("cron_name", Identifiers.quote(table + "_cron"));
        names.put("schedule", function("schedule"));
        names.put("schedules", function("schedules"));
        names.put("guard", guardFunction());
        names.put("bind", function("bind"));
        names.put("bind_added_name", Identifiers.quote(table + "_bind_added"));
        names.put("bind_changed_name", Identifiers.quote(table + "_bind_changed"));
        names.put("accept", function("accept"));
        names.put("accept_name", Identifiers.quote(table + "_accept"));
        names.put("added_name", Identifiers.quote(table + "_added"));
        names.put("changed_name", Identifiers.quote(table + "_changed"));
        names.put("pkey", Identifiers.quote(table + "_pkey"));
        for (String check : CHECKS) names.put("check_" + check, Identifiers.quote(table + "_" + check + "_check"));
        for (String index : INDEXES) names.put("index_" + index, Identifiers.quote(table + "_" + index + "_idx"));
        return TaskSql.file(file).with(names);
    }

    @Override
    public String toString() {
        return schema + "." + table;
    }
}
