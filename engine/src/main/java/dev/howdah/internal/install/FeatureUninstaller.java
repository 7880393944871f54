package dev.howdah.internal.install;

import dev.howdah.internal.node.NodeSql;
import dev.howdah.internal.sql.Migrations;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Takes the tables of a feature out of a database. */
public final class FeatureUninstaller {
    private static final Sql THERE = NodeSql.NODE.statement("node_table_there");
    private static final Sql ALIVE = NodeSql.NODE.statement("node_alive");
    private static final Sql INSTALLED = NodeSql.NODE.statement("node_installed");
    private static final Sql FORGET = NodeSql.NODE.statement("node_forget");

    private FeatureUninstaller() {}

    /**
     * Drops the tables with their rows, unless something would be lost.
     *
     * @param feature whose nodes may not run
     * @param table the name of one of the tables; without it there is nothing to lose
     * @param left says what would be lost; NULL: nothing
     * @param force even so
     * @return why nothing was dropped; null: the tables are gone
     */
    public static @Nullable String run(
            Connection connection, Migrations migrations, String feature, String table, Sql left, boolean force)
            throws SQLException {
        String refusal = Transactions.in(connection, () -> {
            Migrations.Unreleased unreleased = Migrations.unreleased(connection);
            if (!force && unreleased != null) return unreleased.sentence() + ": " + unreleased.remedy();
            boolean nodes = "t".equals(answer(connection, INSTALLED));
            if (!force && "t".equals(answer(connection, THERE, table))) {
                String alive = nodes ? answer(connection, ALIVE, feature) : null;
                if (alive != null) return "nodes still work here: " + alive + "; stop them first";
                String there = answer(connection, left);
                if (there != null) return there;
            }
            migrations.remove(connection);
            if (nodes && "t".equals(answer(connection, INSTALLED))) forget(connection, feature);
            return "";
        });
        return refusal.isEmpty() ? null : refusal;
    }

    /** The nodes of other features stay. */
    private static void forget(Connection connection, String feature) throws SQLException {
        try (PreparedStatement statement = FORGET.prepare(connection, feature)) {
            statement.execute();
        }
    }

    private static @Nullable String answer(Connection connection, Sql sql, Object... values) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            return row.next() ? row.getString(1) : null;
        }
    }
}
