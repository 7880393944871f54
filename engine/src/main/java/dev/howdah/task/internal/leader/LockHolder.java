package dev.howdah.task.internal.leader;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The holder of the scheduler's lock of a table, at one moment.
 *
 * @param lock the lock's number
 * @param who the holder in words for people
 * @param role with which the holder has logged in
 * @param self the role that asks
 * @param state when it has last begun to work or to wait; changes with every statement; null if that is hidden
 * @param waits whether it waits for its client
 * @param silent for how many seconds it has been as it is
 * @param rung whether it was rung for now
 * @param now the server's clock, in seconds
 * @param mayEnd whether the role that asks may end it
 * @param superuser whether its role is one
 * @param trusted whether its role could be the scheduler of the table; any role that may connect can take the lock
 */
record LockHolder(
        long lock,
        int pid,
        String who,
        String role,
        String self,
        @Nullable String state,
        boolean waits,
        double silent,
        boolean rung,
        double now,
        boolean mayEnd,
        boolean superuser,
        boolean trusted) {
    static LockHolder of(ResultSet row) throws SQLException {
        String address = row.getString("address");
        String since = row.getString("since");
        boolean trusted = row.getBoolean("trusted");
        return new LockHolder(
                row.getLong("lock"),
                row.getInt("pid"),
                "process " + row.getInt("pid")
                        + (address == null ? "" : " at " + address)
                        + (since == null ? "" : " since " + since)
                        + (trusted ? "" : ", which is no scheduler: its role is " + row.getString("role")),
                String.valueOf(row.getString("role")),
                row.getString("self"),
                row.getString("state"),
                row.getBoolean("waits"),
                row.getDouble("silent"),
                row.getBoolean("rung"),
                row.getDouble("now"),
                row.getBoolean("may_end"),
                row.getBoolean("superuser"),
                trusted);
    }
}
