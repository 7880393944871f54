package dev.howdah.task;

import dev.howdah.internal.sql.Identifiers;
import dev.howdah.internal.sql.SqlFile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The table that is served, and the names of all that belongs to it. */
record TableName(String schema, String table) {
    /** The checks that Howdah makes: each is called after a column, or what it compares. */
    static final List<String> CHECKS = List.of(
            "active", "live", "repeat", "timeout", "count", "notify", "cron", "cron_or_repeat", "attempts", "backoff");

    String quoted() {
        return Identifiers.quote(schema, table);
    }

    String wakeUpFunction() {
        return Identifiers.quote(schema, table + "_wake_up");
    }

    String sequence() {
        return Identifiers.quote(schema, table + "_id_seq");
    }

    String doneFunction() {
        return Identifiers.quote(schema, table + "_done");
    }

    /** The statements of a file of the task door, for this table. */
    SqlFile sql(String file) {
        Map<String, String> names = new HashMap<>();
        names.put("schema", Identifiers.quote(schema));
        names.put("table", quoted());
        names.put("state", Identifiers.quote(schema, "state"));
        names.put("wake_up", wakeUpFunction());
        names.put("done", doneFunction());
        names.put("wake_up_name", Identifiers.quote(table + "_wake_up"));
        names.put("sequence", sequence());
        names.put("pkey", Identifiers.quote(table + "_pkey"));
        for (String check : CHECKS) names.put("check_" + check, Identifiers.quote(table + "_" + check + "_check"));
        for (String index : List.of("turn", "due", "busy", "parent"))
            names.put("index_" + index, Identifiers.quote(table + "_" + index + "_idx"));
        return SqlFile.of(TableName.class, file).with(names);
    }

    @Override
    public String toString() {
        return schema + "." + table;
    }
}
