package dev.howdah.task.internal.reach;

import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The things that a receiver hears of a task beside its row.
 *
 * @param root the id of its first attempt
 * @param attempt the number of this one
 * @param owned whether its owner is still the role that it was
 */
public record ReachFacts(long id, long root, int attempt, boolean owned) {
    public static ReachFacts read(ResultSet row) throws SQLException {
        return new ReachFacts(row.getLong("id"), row.getLong("root"), row.getInt("attempt"), row.getBoolean("owned"));
    }
}
