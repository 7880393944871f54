package dev.howdah.operations.store;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.text.Sha256;
import dev.howdah.operations.read.ReadException;
import java.security.SecureRandom;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The tokens in {@code howdah_internal.console_token}. Safe for use by many threads. */
public final class TokenStore implements AccessTokens {
    /** What a token begins with: scanners of repositories know it by that. */
    public static final String PREFIX = "hd_";

    private static final int RANDOM_BYTES = 20;
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String UNIQUE_VIOLATION = "23505";
    private static final SqlFile FILE = SqlFile.of(TokenStore.class, "token.sql");
    private static final Sql TABLE = FILE.statement("token_table");
    private static final Sql FIND = FILE.statement("token_find");
    private static final Sql USED = FILE.statement("token_used");
    private static final Sql ADD = FILE.statement("token_add");
    private static final Sql LIST = FILE.statement("token_list");
    private static final Sql REVOKE = FILE.statement("token_revoke");

    private final ConnectionSource source;

    public TokenStore(DataSource source, String schema) {
        this.source = ConnectionSource.of(source).in(SchemaName.of(schema));
    }

    /**
     * What a token that is accepted may do.
     *
     * @param queues those that it may use; empty: all
     */
    public record Accepted(
            int id, String name, String role, @Nullable Instant expires, List<String> queues) {}

    /** The SHA-256 of a token. */
    public static byte[] hash(String token) {
        return Sha256.of(token);
    }

    /** Returns whether a text has the form of a token. */
    public static boolean isToken(String text) {
        return text.matches(PREFIX + "[0-9a-f]{" + 2 * RANDOM_BYTES + "}");
    }

    /** The token with that hash; empty: there is none, or it was revoked or has expired. */
    public Optional<Accepted> find(byte[] hash) {
        return reading(connection -> {
            if (!exists(connection)) return Optional.empty();
            try (PreparedStatement statement = FIND.prepare(connection, hash);
                    ResultSet row = statement.executeQuery()) {
                if (!row.next()) return Optional.empty();
                return Optional.of(new Accepted(
                        row.getInt("id"), text(row, "name"), text(row, "role"), time(row, "expires"), queues(row)));
            }
        });
    }

    /** Writes down that a token was used. */
    public void used(int id) {
        reading(connection -> {
            try (PreparedStatement statement = USED.prepare(connection, id)) {
                return statement.executeUpdate();
            }
        });
    }

    /**
     * Adds a token, and the tables if they are missing.
     *
     * @param lasts until it expires; null: for ever
     * @param by who adds it; null: the role of the session
     * @param queues those that it may use; none: all
     * @return the token, which is not to be had again
     * @throws IllegalArgumentException if the name is taken
     */
    public String add(String name, String role, @Nullable Duration lasts, @Nullable String by, String... queues) {
        byte[] bytes = new byte[RANDOM_BYTES];
        RANDOM.nextBytes(bytes);
        String token = PREFIX + HexFormat.of().formatHex(bytes);
        return reading(connection -> {
            ConsoleSchema.MIGRATIONS.migrate(connection);
            try (PreparedStatement statement = ADD.prepare(
                    connection,
                    name,
                    hash(token),
                    role,
                    lasts == null ? null : lasts.toSeconds(),
                    by,
                    queues.length == 0 ? null : queues)) {
                statement.execute();
                return token;
            } catch (SQLException e) {
                if (UNIQUE_VIOLATION.equals(e.getSQLState()))
                    throw new IllegalArgumentException(
                            "there is a token \"" + name + "\" already: revoke it first, or take another name");
                throw e;
            }
        });
    }

    /** All tokens, also revoked ones. */
    public List<StoredToken> list() {
        return reading(connection -> {
            List<StoredToken> all = new ArrayList<>();
            if (!exists(connection)) return all;
            try (PreparedStatement statement = LIST.prepare(connection);
                    ResultSet row = statement.executeQuery()) {
                while (row.next())
                    all.add(new StoredToken(
                            row.getInt("id"),
                            text(row, "name"),
                            text(row, "role"),
                            Objects.requireNonNull(time(row, "created")),
                            text(row, "created_by"),
                            time(row, "expires"),
                            time(row, "used"),
                            time(row, "revoked"),
                            queues(row)));
            }
            return all;
        });
    }

    @Override
    public boolean revoke(String name) {
        return reading(connection -> {
            if (!exists(connection)) return false;
            try (PreparedStatement statement = REVOKE.prepare(connection, name)) {
                return statement.executeUpdate() > 0;
            }
        });
    }

    private interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    private <T> T reading(Work<T> work) {
        try (Connection connection = source.getConnection()) {
            return work.with(connection);
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }

    private static boolean exists(Connection connection) throws SQLException {
        try (PreparedStatement statement = TABLE.prepare(connection);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getBoolean(1);
        }
    }

    private static String text(ResultSet row, String column) throws SQLException {
        return Objects.requireNonNull(row.getString(column), column);
    }

    private static List<String> queues(ResultSet row) throws SQLException {
        Array queues = row.getArray("queues");
        return queues == null ? List.of() : List.of((String[]) queues.getArray());
    }

    private static @Nullable Instant time(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
