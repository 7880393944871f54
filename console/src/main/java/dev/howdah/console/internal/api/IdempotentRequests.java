package dev.howdah.console.internal.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.text.Sha256;
import dev.howdah.operations.read.ReadException;
import dev.howdah.operations.store.ConsoleSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import javax.sql.DataSource;

/**
 * Adds things by requests; with an idempotency key once only. The key, what is added and the answer are one transaction: a second request
 * with the key waits for the end of the first one. Safe for use by many threads.
 */
public final class IdempotentRequests {
    private static final SqlFile FILE = SqlFile.of(IdempotentRequests.class, "idempotency.sql");
    private static final Sql TABLE = FILE.statement("request_key_table");
    private static final Sql TAKE = FILE.statement("request_key_take");
    private static final Sql FIND = FILE.statement("request_key_find");
    private static final Sql SET = FILE.statement("request_key_set");
    private static final Sql CLEAN = FILE.statement("request_key_clean");

    private final ConnectionSource source;

    public IdempotentRequests(DataSource source, String schema) {
        this.source = ConnectionSource.of(source).in(SchemaName.of(schema));
    }

    /** Adds something in the transaction of a connection. */
    @FunctionalInterface
    public interface Adding {
        /** Returns the answer. */
        ObjectNode add(Connection connection) throws SQLException;
    }

    /**
     * Adds something, unless a request with the same key has added it before.
     *
     * @param where the path, with its parameters: another one with the same key is another request
     */
    public ObjectNode once(ApiRequest request, String where, Adding adding) {
        String key = request.idempotencyKey();
        try (Connection connection = source.getConnection()) {
            if (key != null && !exists(connection)) ConsoleSchema.MIGRATIONS.migrate(connection);
            connection.setAutoCommit(false);
            try {
                ObjectNode answer = key == null
                        ? adding.add(connection)
                        : once(connection, request.caller().name(), key, digest(request, where), adding);
                connection.commit();
                return answer;
            } finally {
                // What was committed stays.
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }

    private static boolean exists(Connection connection) throws SQLException {
        try (PreparedStatement statement = TABLE.prepare(connection);
                ResultSet row = statement.executeQuery()) {
            return row.next() && row.getBoolean(1);
        }
    }

    private static ObjectNode once(Connection connection, String actor, String key, String digest, Adding adding)
            throws SQLException {
        try (PreparedStatement clean = CLEAN.prepare(connection)) {
            clean.execute();
        }
        boolean taken;
        try (PreparedStatement take = TAKE.prepare(connection, actor, key, digest)) {
            taken = take.executeUpdate() == 1;
        }
        if (!taken) return known(connection, actor, key, digest);
        ObjectNode answer = adding.add(connection);
        try (PreparedStatement set = SET.prepare(connection, actor, key, ApiJson.text(answer))) {
            set.execute();
        }
        return answer;
    }

    private static ObjectNode known(Connection connection, String actor, String key, String digest)
            throws SQLException {
        try (PreparedStatement find = FIND.prepare(connection, actor, key);
                ResultSet row = find.executeQuery()) {
            if (!row.next()) throw ApiProblemException.conflict("the idempotency key has just expired: send it again");
            if (!digest.equals(row.getString("digest")))
                throw new ApiProblemException(
                        422, "key-reused", "another request was sent with this idempotency key before");
            return (ObjectNode) ApiJson.stored(String.valueOf(row.getString("answer")));
        }
    }

    private static String digest(ApiRequest request, String where) {
        return HexFormat.of().formatHex(Sha256.of(where + "\n" + ApiJson.text(request.body())));
    }
}
