package dev.howdah.health;

import dev.howdah.Database;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.health.HealthReader;
import dev.howdah.internal.health.SessionReader;
import dev.howdah.internal.sql.SchemaName;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * The health of a database, as Howdah needs it: old snapshots, blocked sessions, connections, dead rows, indexes, triggers and the like,
 * and the sessions behind them. All but {@link #end} only reads. A role without the privilege {@code pg_monitor} gets some checks as {@link HealthCheck.Level#UNKNOWN}, with the GRANT. Immutable
 * and safe for use by many threads.
 */
public final class DatabaseHealth {
    private final HealthReader reader;
    private final SessionReader sessions;

    private DatabaseHealth(HealthReader reader, SessionReader sessions) {
        this.reader = reader;
        this.sessions = sessions;
    }

    private static DatabaseHealth by(HealthReader.Opener opener) {
        return new DatabaseHealth(new HealthReader(opener, SchemaName.howdah()), new SessionReader(opener));
    }

    /** The health of the database that a data source reaches. */
    public static DatabaseHealth on(DataSource dataSource) {
        return by(ConnectionSource.of(dataSource)::getConnection);
    }

    /** The health of that database. */
    public static DatabaseHealth on(Database database) {
        return by(() -> ConnectionSource.readCommitted(database.connect()));
    }

    /**
     * The same with the tables of jobs, processes and sweeps in another schema than {@code howdah}.
     *
     * @throws IllegalArgumentException if an installation cannot have that name
     */
    public DatabaseHealth schema(String name) {
        return new DatabaseHealth(reader.in(SchemaName.of(name)), sessions);
    }

    /**
     * Makes all checks in one read-only transaction, a second at most for each.
     *
     * @return a result for each check, the worst first
     * @throws SQLException if the database cannot be reached
     */
    public List<HealthCheck> check() throws SQLException {
        return reader.check();
    }

    /**
     * Lists sessions of clients, of all databases of the server, that have a transaction open or for whose locks others wait: the one whose
     * transaction began first is the first.
     *
     * @param most how many, 1 or more
     * @throws IllegalArgumentException if it is less
     * @throws SQLException if the database cannot be reached
     */
    public List<DatabaseSession> sessions(int most) throws SQLException {
        return sessions.list(most);
    }

    /**
     * Finds the session of a client with that pid, whatever it does.
     *
     * @throws SQLException if the database cannot be reached
     */
    public Optional<DatabaseSession> session(int pid) throws SQLException {
        return sessions.find(pid);
    }

    /**
     * Asks the server to end a session of a client, or its present statement. The privileges of the role decide: it has to be the role of that session, a
     * member of it, or of {@code pg_signal_backend}; sessions of superusers are ended by superusers only.
     *
     * @param started when the session began: one that has got the pid since then is left alone
     * @return false if there is no such session any more; the end itself follows within moments
     * @throws SQLException if a privilege is missing, with the SQLSTATE 42501 and the GRANT in its message, or if the database cannot be reached
     */
    public boolean end(int pid, Instant started, SessionEnd how) throws SQLException {
        return sessions.end(pid, started, how);
    }
}
