package dev.howdah.job;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The queues of which only so many jobs run at a time, on all nodes together. Safe for use by many threads. */
final class Limits {
    private static final SqlFile LIMIT = SqlFile.of(Limits.class, "limit.sql");
    private static final Sql LOCK = LIMIT.statement("lock");
    private static final Sql ROOM = LIMIT.statement("room");
    private static final Sql LIMITED = LIMIT.statement("limited");

    private volatile Set<String> queues = Set.of();

    /** These queues have a limit. */
    void are(String[] names) {
        queues = Set.of(names);
    }

    void read(JobSession session) throws SQLException {
        try (ResultSet row = session.query(LIMITED)) {
            row.next();
            are((String[]) row.getArray(1).getArray());
        }
    }

    boolean any() {
        return !queues.isEmpty();
    }

    boolean has(Lane lane) {
        return queues.contains(lane.queue());
    }

    /** Takes no more jobs than may run. */
    static Ledger.Claimed claim(JobSession session, Ledger ledger, Lane lane, int most, Bounds from)
            throws SQLException {
        Connection connection = session.connection();
        connection.setAutoCommit(false);
        try {
            int room = room(session, lane.queue(), most);
            Ledger.Claimed claimed = room > 0
                    ? ledger.claim(List.of(), lane, room, from)
                    : new Ledger.Claimed(List.of(), 0, Map.of(), Set.of());
            connection.commit();
            return claimed;
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    private static int room(JobSession session, String queue, int most) throws SQLException {
        try (ResultSet row = session.query(LOCK, queue)) {
            if (!row.next() || !row.getBoolean(1)) return 0;
        }
        try (ResultSet row = session.query(ROOM, queue)) {
            return row.next() ? (int) Math.max(Math.min(row.getLong(1), most), 0) : most;
        }
    }
}
