package dev.howdah.task.internal.leader;

import dev.howdah.Database;
import java.time.Duration;

/** The timeouts with which a scheduler reaches its database, where its address has none. */
public final class ConnectTimeouts {
    private ConnectTimeouts() {}

    /**
     * The database so that a server that cannot be reached any more is noticed within this time, by TCP's own probes; and
     * of several servers that one which takes writes.
     */
    public static Database within(Duration lease, Database database) {
        long millis = lease.toMillis();
        Database probing = database;
        if (database.parameter("keepalives_idle") == null)
            probing = seconds(probing, "keepalives_idle", millis * 4 / 10);
        if (database.parameter("keepalives_interval") == null)
            probing = seconds(probing, "keepalives_interval", millis * 2 / 10);
        boolean open = database.hosts().size() > 1 && database.parameter("target_session_attrs") == null;
        return open ? probing.with("target_session_attrs", "read-write") : probing;
    }

    private static Database seconds(Database database, String keyword, long millis) {
        return database.with(keyword, Long.toString(Math.max(1, millis / 1000)));
    }
}
