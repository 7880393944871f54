package dev.howdah.console.internal.api.job;

import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.data.AddedJob;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.data.ReadException;
import dev.howdah.console.internal.store.ConsoleSchema;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.job.NewJob;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import javax.sql.DataSource;

/**
 * Adds jobs; with an idempotency key once only. The key and the job are one transaction: a second request with the key waits for the
 * end of the first one. Safe for use by many threads.
 */
final class IdempotentAdd {
    private static final SqlFile FILE = SqlFile.of(IdempotentAdd.class, "idempotency.sql");
    private static final Sql TABLE = FILE.statement("request_key_table");
    private static final Sql TAKE = FILE.statement("request_key_take");
    private static final Sql FIND = FILE.statement("request_key_find");
    private static final Sql SET = FILE.statement("request_key_set");
    private static final Sql CLEAN = FILE.statement("request_key_clean");

    private final ConnectionSource source;
    private final ConsoleQueries queries;

    IdempotentAdd(DataSource source, String schema, ConsoleQueries queries) {
        this.source = ConnectionSource.of(source).in(SchemaName.of(schema));
        this.queries = queries;
    }

    AddedJob add(ApiRequest request) {
        NewJob<String> job = NewJobReader.read(request);
        String key = request.idempotencyKey();
        if (key == null) return queries.addJob(job);
        try (Connection connection = source.getConnection()) {
            if (!exists(connection)) ConsoleSchema.MIGRATIONS.migrate(connection);
            connection.setAutoCommit(false);
            try {
                AddedJob added = once(connection, request.caller().name(), key, digest(request), job);
                connection.commit();
                return added;
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

    private static AddedJob once(Connection connection, String actor, String key, String digest, NewJob<String> job)
            throws SQLException {
        try (PreparedStatement clean = CLEAN.prepare(connection)) {
            clean.execute();
        }
        boolean taken;
        try (PreparedStatement take = TAKE.prepare(connection, actor, key, digest)) {
            taken = take.executeUpdate() == 1;
        }
        if (!taken) return known(connection, actor, key, digest);
        AddedJob added = ConsoleQueries.addJob(connection, job);
        try (PreparedStatement set = SET.prepare(connection, actor, key, added.id(), added.isNew())) {
            set.execute();
        }
        return added;
    }

    private static AddedJob known(Connection connection, String actor, String key, String digest) throws SQLException {
        try (PreparedStatement find = FIND.prepare(connection, actor, key);
                ResultSet row = find.executeQuery()) {
            if (!row.next()) throw ApiProblemException.conflict("the idempotency key has just expired: send it again");
            if (!digest.equals(row.getString("digest")))
                throw new ApiProblemException(
                        422, "key-reused", "another request was sent with this idempotency key before");
            return new AddedJob(row.getLong("job"), row.getBoolean("added"), List.of());
        }
    }

    private static String digest(ApiRequest request) {
        try {
            byte[] body = ApiJson.text(request.body()).getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
