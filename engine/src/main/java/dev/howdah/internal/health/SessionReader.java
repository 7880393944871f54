package dev.howdah.internal.health;

import dev.howdah.health.DatabaseSession;
import dev.howdah.health.SessionEnd;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the sessions of a server, and has them ended. Immutable and safe for use by many threads. */
public final class SessionReader {
    private static final SqlFile SQL = SqlFile.of(SessionReader.class, "session.sql");
    private static final Sql BEGIN = SQL.statement("session_begin");
    private static final Sql LIST = SQL.statement("session_list");
    private static final Sql END = SQL.statement("session_end");
    private static final Sql PRIVILEGE = SQL.statement("session_privilege");
    private static final String MISSING = "42501";

    private final HealthReader.Opener opener;

    public SessionReader(HealthReader.Opener opener) {
        this.opener = opener;
    }

    /** Does it in a read-only transaction, with the names of the server's own functions. */
    private <T> T inTransaction(RolledBackTransaction.Work<T> work) throws SQLException {
        return RolledBackTransaction.run(opener, connection -> {
            begin(connection);
            return work.with(connection);
        });
    }

    private static void begin(Connection connection) throws SQLException {
        try (PreparedStatement statement = BEGIN.prepare(connection)) {
            statement.execute();
        }
    }

    public List<DatabaseSession> list(int most) throws SQLException {
        if (most < 1) throw new IllegalArgumentException("at least one session is listed, not " + most);
        return inTransaction(connection -> read(connection, null, most));
    }

    public Optional<DatabaseSession> find(int pid) throws SQLException {
        return inTransaction(connection -> read(connection, pid, 1)).stream().findFirst();
    }

    private static List<DatabaseSession> read(Connection connection, @Nullable Integer pid, int most)
            throws SQLException {
        List<DatabaseSession> found = new ArrayList<>();
        try (PreparedStatement statement = LIST.prepare(connection, pid, most);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) found.add(session(row));
        }
        return List.copyOf(found);
    }

    private static DatabaseSession session(ResultSet row) throws SQLException {
        return new DatabaseSession(
                row.getInt("pid"),
                time(row, "backend_start"),
                row.getString("role"),
                row.getString("database"),
                Objects.requireNonNullElse(row.getString("application"), ""),
                row.getString("address"),
                row.getString("state"),
                time(row, "xact_start"),
                row.getObject("held", Long.class),
                row.getBoolean("waits"),
                row.getLong("blocks"),
                Objects.requireNonNullElse(row.getString("query"), ""));
    }

    private static @Nullable Instant time(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    public boolean end(int pid, Instant started, SessionEnd how) throws SQLException {
        return inTransaction(connection -> {
            String missing;
            try (PreparedStatement statement =
                            END.prepare(connection, pid, started.toString(), how == SessionEnd.TERMINATE);
                    ResultSet row = statement.executeQuery()) {
                if (!row.next()) return false;
                Boolean sent = row.getObject("sent", Boolean.class);
                if (sent != null) return sent;
                missing = "pg_read_all_stats";
            } catch (SQLException e) {
                if (!MISSING.equals(e.getSQLState())) throw e;
                connection.rollback();
                begin(connection);
                missing = "pg_signal_backend";
            }
            throw refused(connection, pid, missing);
        });
    }

    private static SQLException refused(Connection connection, int pid, String missing) throws SQLException {
        try (PreparedStatement statement = PRIVILEGE.prepare(connection, pid, missing);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return new SQLException(row.getString(1), MISSING);
        }
    }
}
