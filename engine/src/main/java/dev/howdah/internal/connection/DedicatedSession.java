package dev.howdah.internal.connection;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * A session of the user's data source that Howdah keeps for itself, with statements that stay prepared and plans that stay
 * right. For one thread at a time.
 */
public class DedicatedSession implements AutoCloseable {
    private static final SqlFile FILE = SqlFile.of(DedicatedSession.class, "dedicated-session.sql");
    private static final String PREPARE = FILE.text("connection_prepare_session");
    private static final Sql SILENCE = FILE.statement("connection_silence");
    private static final Sql SEARCH_PATH = FILE.statement("connection_search_path");

    private final Connection connection;
    private final Map<Sql, PreparedStatement> prepared = new HashMap<>();

    /** @param connection this object's own from now on; closed if that fails */
    public DedicatedSession(Connection connection) throws SQLException {
        this.connection = connection;
        try {
            connection.setAutoCommit(true);
            connection.unwrap(PGConnection.class).setPrepareThreshold(2);
            try (Statement statement = connection.createStatement()) {
                statement.execute(PREPARE);
            }
        } catch (SQLException | RuntimeException e) {
            end(connection);
            throw e;
        }
    }

    public final Connection connection() {
        return connection;
    }

    public final PreparedStatement prepare(Sql sql) throws SQLException {
        PreparedStatement known = prepared.get(sql);
        if (known != null) return known;
        PreparedStatement made = connection.prepareStatement(sql.jdbc(connection));
        prepared.put(sql, made);
        return made;
    }

    /** The statement is not needed any more, for now. */
    public final void forget(Sql sql) throws SQLException {
        PreparedStatement known = prepared.remove(sql);
        if (known != null) known.close();
    }

    /**
     * Searches no schema but that of PostgreSQL itself. In any other one a role could have put an operator that fits better,
     * which would then be run with the privileges of the node.
     */
    public final void searchOwnSchemaOnly() throws SQLException {
        update(SEARCH_PATH);
    }

    /** A silence of so many milliseconds, here or at the server, ends the session. */
    public final void endWhenSilent(int millis) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, millis);
        update(SILENCE, String.valueOf(millis));
    }

    /** Runs a statement; the caller closes its rows. */
    /**
     * Waits for notifications of the channels that the session listens to.
     *
     * @param millis how long at most
     * @param each called with the channel and the payload
     */
    public final void hear(int millis, BiConsumer<String, String> each) throws SQLException {
        @Nullable PGNotification[] heard = connection.unwrap(PGConnection.class).getNotifications(millis);
        if (heard == null) return;
        for (PGNotification one : heard) if (one != null) each.accept(one.getName(), one.getParameter());
    }

    public final ResultSet query(Sql sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = prepare(sql);
        sql.bind(statement, values);
        return statement.executeQuery();
    }

    /** Runs several statements that are one message; the caller closes the rows of the first, those of others are dropped. */
    public final ResultSet queryFirst(Sql sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = prepare(sql);
        sql.bind(statement, values);
        if (!statement.execute()) throw new SQLException("the first of several statements has no rows: " + sql.jdbc());
        return statement.getResultSet();
    }

    /** Runs a statement for what it does; says to how many rows. */
    public final int update(Sql sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = prepare(sql);
        sql.bind(statement, values);
        if (!statement.execute()) return statement.getUpdateCount();
        int rows = 0;
        try (ResultSet result = statement.getResultSet()) {
            while (result.next()) rows++;
        }
        return rows;
    }

    /** Ends the session rather than giving it back to a pool: its settings and locks must not reach another user. */
    @Override
    public final void close() {
        end(connection);
    }

    private static void end(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException e) {
            // It is gone already.
        }
        try {
            connection.close();
        } catch (SQLException e) {
            // As above.
        }
    }
}
