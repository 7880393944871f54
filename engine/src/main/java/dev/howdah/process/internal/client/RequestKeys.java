package dev.howdah.process.internal.client;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.text.Sha256;
import dev.howdah.process.ProcessException;
import dev.howdah.process.internal.request.PendingRequest;
import dev.howdah.process.internal.request.RequestStore;
import dev.howdah.process.internal.store.ProcessRows;
import dev.howdah.process.internal.store.ProcessSql;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Writes requests that have an idempotency key: the same request again is the task of the first time. */
final class RequestKeys {
    private static final Sql KEY = ProcessSql.REQUEST.statement("request_key");
    private static final Sql KEEP_KEY = ProcessSql.REQUEST.statement("request_keep_key");
    private static final int TRIES = 5;

    private RequestKeys() {}

    /**
     * The task of a request.
     *
     * @param token of the request that has made the task; null: that is not known any more
     */
    record Entered(long process, long task, @Nullable Long token) {}

    /**
     * Writes the request, unless one with its key was written before.
     *
     * @throws ProcessException if the key belongs to another request, or the process does not accept this one
     */
    static Entered enter(Connection connection, int node, PendingRequest entry) throws SQLException {
        byte[] digest = digest(entry);
        for (int i = 0; i < TRIES; i++) {
            Entered there = find(connection, entry, digest);
            if (there == null) there = write(connection, node, entry, digest);
            if (there != null) return there;
        }
        throw new ProcessException(
                ProcessException.Reason.CONFLICT, "process " + entry.request().id() + " changes too often, try again");
    }

    private static @Nullable Entered find(Connection connection, PendingRequest entry, byte[] digest)
            throws SQLException {
        try (PreparedStatement statement = KEY.prepare(
                        connection, entry.namespace(), entry.request().key());
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) return null;
            if (!Arrays.equals(row.getBytes(3), digest))
                throw new ProcessException(ProcessException.Reason.KEY_CONFLICT);
            return new Entered(row.getLong(1), row.getLong(2), ProcessRows.longOrNull(row, 4));
        }
    }

    /** Returns null if another one was faster. */
    private static @Nullable Entered write(Connection connection, int node, PendingRequest entry, byte[] digest)
            throws SQLException {
        connection.setAutoCommit(false);
        try {
            long began = System.nanoTime();
            RequestStore.Accepted accepted = RequestStore.write(connection, node, entry);
            if (accepted == null) {
                connection.rollback();
                if (find(connection, entry, digest) != null) return null;
                ProcessException.Reason why = RequestClient.why(
                        connection,
                        entry.type(),
                        entry.namespace(),
                        entry.request().id());
                if (why != null) throw new ProcessException(why);
                return null;
            }
            if (!keep(connection, entry, accepted, digest)) return null;
            connection.commit();
            entry.meter().prepared(entry.type(), System.nanoTime() - began);
            return new Entered(accepted.process(), accepted.task(), entry.token());
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    private static boolean keep(
            Connection connection, PendingRequest entry, RequestStore.Accepted accepted, byte[] digest)
            throws SQLException {
        try (PreparedStatement statement = KEEP_KEY.prepare(
                        connection,
                        entry.namespace(),
                        entry.request().key(),
                        accepted.process(),
                        accepted.task(),
                        digest);
                ResultSet row = statement.executeQuery()) {
            return row.next();
        }
    }

    private static byte[] digest(PendingRequest entry) {
        MessageDigest digest = Sha256.begin();
        digest.update(entry.type().text().getBytes(StandardCharsets.UTF_8));
        byte[] name = entry.request().id().getBytes(StandardCharsets.UTF_8);
        digest.update(ByteBuffer.allocate(4).putInt(name.length).array());
        digest.update(name);
        return digest.digest(entry.args());
    }
}
