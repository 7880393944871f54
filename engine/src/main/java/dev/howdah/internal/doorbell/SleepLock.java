package dev.howdah.internal.doorbell;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.AdvisoryLock;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * The advisory locks of one class by which writers see that a reader sleeps, each for a place such as a lane or a namespace. A session that holds
 * one has to look for work once more before it waits. Safe for use by many threads.
 */
public final class SleepLock {
    private static final SqlFile FILE = SqlFile.of(SleepLock.class, "sleep.sql");

    private final Sql fallAsleep;
    private final Sql wakeUp;

    public SleepLock(AdvisoryLock of) {
        SqlFile file = FILE.with(Map.of("class", Integer.toString(of.classId())));
        this.fallAsleep = file.statement("lock_fall_asleep");
        this.wakeUp = file.statement("lock_wake_up");
    }

    /**
     * The result of falling asleep.
     *
     * @param held places whose writers ring from now on
     * @param awaited places with a transaction that has written before, and goes on; in the others another reader sleeps
     */
    public record Asleep(List<Integer> held, List<Integer> awaited) {}

    /** Takes the locks of those places that are free. */
    public Asleep fallAsleep(DedicatedSession session, Integer... places) throws SQLException {
        Asleep asleep = new Asleep(new ArrayList<>(), new ArrayList<>());
        try (ResultSet row = session.query(fallAsleep, (Object) places)) {
            while (row.next()) {
                if (row.getBoolean(2)) asleep.held().add(row.getInt(1));
                else if (!row.wasNull()) asleep.awaited().add(row.getInt(1));
            }
        }
        return asleep;
    }

    /** Releases locks that the session holds. */
    public void wakeUp(DedicatedSession session, Collection<Integer> held) throws SQLException {
        if (!held.isEmpty()) session.update(wakeUp, (Object) held.toArray(Integer[]::new));
    }
}
