package dev.howdah.health;

import dev.howdah.Database;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.health.HealthReader;
import dev.howdah.internal.sql.SchemaName;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/**
 * The health of a database, as Howdah needs it: old snapshots, blocked sessions, connections, dead rows, indexes, triggers and the like.
 * It only reads. A role without the privilege {@code pg_monitor} gets some checks as {@link HealthCheck.Level#UNKNOWN}, with the GRANT. Immutable
 * and safe for use by many threads.
 */
public final class DatabaseHealth {
    private final HealthReader reader;

    private DatabaseHealth(HealthReader reader) {
        this.reader = reader;
    }

    /** The health of the database that a data source reaches. */
    public static DatabaseHealth on(DataSource dataSource) {
        return new DatabaseHealth(
                new HealthReader(ConnectionSource.of(dataSource)::getConnection, SchemaName.howdah()));
    }

    /** The health of that database. */
    public static DatabaseHealth on(Database database) {
        return new DatabaseHealth(new HealthReader(database::connect, SchemaName.howdah()));
    }

    /**
     * The same with the tables of jobs, processes and sweeps in another schema than {@code howdah}.
     *
     * @throws IllegalArgumentException if an installation cannot have that name
     */
    public DatabaseHealth schema(String name) {
        return new DatabaseHealth(reader.in(SchemaName.of(name)));
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
}
