package dev.howdah.job;

import dev.howdah.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** Looks from time to time how many jobs wait, and for how long, where somebody wants to know. */
final class Depths implements Clerk.Errand {
    private static final Sql DEPTH = JobSql.STAT.statement("depth");
    private static final int MOST = 100_000;
    private static final long PAUSE_MILLIS = 15_000;

    private final Meter meter;

    Depths(Meter meter) {
        this.meter = meter;
    }

    @Override
    public long run(JobSession session) throws SQLException {
        Map<String, Meter.Depth> depths = new HashMap<>();
        try (ResultSet row = session.query(DEPTH, MOST)) {
            while (row.next()) depths.put(row.getString(1), new Meter.Depth(row.getLong(2), row.getDouble(3)));
        }
        meter.waiting(depths);
        return PAUSE_MILLIS;
    }
}
