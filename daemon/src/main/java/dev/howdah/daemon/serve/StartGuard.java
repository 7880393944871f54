package dev.howdah.daemon.serve;

import dev.howdah.Database;
import dev.howdah.daemon.database.ServedDatabase;
import dev.howdah.internal.connection.SchemaConnection;
import dev.howdah.internal.pause.PauseMark;
import dev.howdah.internal.sql.SchemaName;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Before anything of a database is served: pauses everything in it where that is asked for, and says when it is another one than was
 * served last, such as a copy. Safe for use by many threads.
 */
final class StartGuard {
    private static final Logger log = LoggerFactory.getLogger(StartGuard.class);

    private final boolean paused;
    private final boolean pausedWhenMoved;
    private final Set<SchemaName> schemas;
    private final Set<String> admitted = new HashSet<>();
    /** Where nothing could be noted yet, since the schema is made when tasks are served. */
    private final Map<String, Database> unnoted = new LinkedHashMap<>();

    /**
     * @param paused whether everything is paused in each database
     * @param pausedWhenMoved whether in one that is not the one that was served last
     * @param installation the schema of jobs and processes
     */
    StartGuard(boolean paused, boolean pausedWhenMoved, SchemaName installation) {
        this.paused = paused;
        this.pausedWhenMoved = pausedWhenMoved;
        this.schemas = new HashSet<>(List.of(SchemaName.howdah()));
        schemas.add(installation);
    }

    /**
     * Lets the database be served, when this returns; what is asked for is done once for each.
     *
     * @throws SQLException if it cannot be paused
     */
    synchronized void admit(Database database) throws SQLException {
        if (admitted.contains(database.database())) return;
        try (Connection connection = database.connect()) {
            ServedDatabase served = ServedDatabase.read(connection);
            String moved = served.isMoved() ? "this is " + served.now() + ", served last was " + served.last() : null;
            if (moved != null)
                log.warn(
                        "{} is not the database that was served last, but perhaps a copy of it: {}{}",
                        database.database(),
                        moved,
                        pausedWhenMoved ? "; everything in it is paused" : "");
            if (paused) pause(connection, "howdah up --paused");
            else if (moved != null && pausedWhenMoved) pause(connection, "paused-when-moved: " + moved);
            if (!note(connection, served)) unnoted.put(database.database(), database);
        }
        admitted.add(database.database());
    }

    private void pause(Connection connection, String reason) throws SQLException {
        for (SchemaName each : schemas) {
            PauseMark before = PauseMark.make(SchemaConnection.of(connection, each), reason, null);
            if (before != null) log.info("everything in the schema {} was {} already", each, before);
        }
    }

    /** Returns whether it is noted now, or never will be. */
    private static boolean note(Connection connection, ServedDatabase served) {
        try {
            if (served.now().equals(served.last())) return true;
            if (!served.isWritable()) return false;
            served.write(connection);
            return true;
        } catch (SQLException e) {
            log.debug("which database is served could not be noted: {}", e.getMessage());
            return false;
        }
    }

    /** Tries again to note which databases are served; returns whether all is noted. */
    synchronized boolean noteAll() {
        unnoted.values().removeIf(StartGuard::isNoted);
        return unnoted.isEmpty();
    }

    private static boolean isNoted(Database database) {
        try (Connection connection = database.connect()) {
            return note(connection, ServedDatabase.read(connection));
        } catch (SQLException e) {
            return false;
        }
    }
}
