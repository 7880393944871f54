package dev.howdah.daemon.config;

import dev.howdah.task.TaskTuning;

/**
 * A table that is to be served.
 *
 * @param data the database it is in
 * @param user the role whose table it is; empty for the one that logs in
 */
public record ServedTable(String data, String user, String schema, String table, TaskTuning tuning) {
    /** The identity of a table, which can be served once only. */
    public record Key(String data, String schema, String table) {
        @Override
        public String toString() {
            return schema + "." + table + " in " + data;
        }
    }

    public Key key() {
        return new Key(data, schema, table);
    }
}
