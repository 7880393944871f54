package dev.howdah.job;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * A session of the user's data source that Howdah keeps for itself, with statements that stay prepared. For one thread at
 * a time.
 */
final class JobSession implements AutoCloseable {
    static final SqlFile JOB = SqlFile.of(JobSession.class, "job.sql");
    static final SqlFile NODE = SqlFile.of(JobSession.class, "node.sql");

    private final Connection connection;
    private final Map<Sql, PreparedStatement> prepared = new HashMap<>();

    private JobSession(Connection connection) {
        this.connection = connection;
    }

    static JobSession open(DataSource source) throws SQLException {
        Connection connection = source.getConnection();
        JobSession session = new JobSession(connection);
        try {
            connection.setAutoCommit(true);
            connection.unwrap(PGConnection.class).setPrepareThreshold(2);
            try (Statement statement = connection.createStatement()) {
                statement.execute(JOB.text("prepare_session"));
            }
            return session;
        } catch (SQLException | RuntimeException e) {
            session.close();
            throw e;
        }
    }

    Connection connection() {
        return connection;
    }

    PreparedStatement prepare(Sql sql) throws SQLException {
        PreparedStatement known = prepared.get(sql);
        if (known != null) return known;
        PreparedStatement made = connection.prepareStatement(sql.jdbc());
        prepared.put(sql, made);
        return made;
    }

    /** Runs a statement; the caller closes its rows. */
    ResultSet query(Sql sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = prepare(sql);
        sql.bind(statement, values);
        return statement.executeQuery();
    }

    /** Runs several statements that are one message; the caller closes the rows of the first, those of others are dropped. */
    ResultSet queryFirst(Sql sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = prepare(sql);
        sql.bind(statement, values);
        if (!statement.execute()) throw new SQLException("the first of several statements has no rows: " + sql.jdbc());
        return statement.getResultSet();
    }

    /** Runs a statement for what it does; says to how many rows. */
    int update(Sql sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = prepare(sql);
        sql.bind(statement, values);
        if (!statement.execute()) return statement.getUpdateCount();
        int rows = 0;
        try (ResultSet result = statement.getResultSet()) {
            while (result.next()) rows++;
        }
        return rows;
    }

    /** Ends the session rather than giving it back to a pool: its settings and locks are nobody else's. */
    @Override
    public void close() {
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
