package dev.howdah.sweep.internal.run;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.sweep.internal.store.SweepSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The server's table of locks: sweeps together take three quarters of it at most, for when it is full statements of any session may
 * fail.
 *
 * @param wanted by this process
 * @param free for it
 */
record LockBudget(int workers, int batch, long wanted, long free, long size) {
    private static final Sql LOCKS = SweepSql.SWEEP.statement("sweep_locks");
    private static final Sql INSTALLED = SweepSql.SWEEP.statement("sweep_installed");
    private static final Sql OF_SWEEPS = SweepSql.SWEEP.statement("sweep_locks_of_sweeps");

    static LockBudget of(DedicatedSession session, int workers, int batch) throws SQLException {
        long ofSweeps = 0;
        if (isInstalled(session))
            try (ResultSet row = session.query(OF_SWEEPS)) {
                row.next();
                ofSweeps = row.getLong(1);
            }
        try (ResultSet row = session.query(LOCKS)) {
            row.next();
            long size = row.getLong(1);
            long free = Math.max(size * 3 / 4 - row.getLong(2) - ofSweeps, 0);
            return new LockBudget(workers, batch, (long) workers * batch, free, size);
        }
    }

    /** Returns whether the tables of sweeps are there. */
    static boolean isInstalled(DedicatedSession session) throws SQLException {
        try (ResultSet row = session.query(INSTALLED)) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** Why it is not enough; null: it is. */
    @Nullable
    String objection() {
        if (wanted <= free) return null;
        return workers + " workers with batches of " + batch + " rows need " + wanted
                + " locks, and the server has room for " + free
                + " more of sweeps (three quarters of " + size + ", less what is taken): "
                + (free >= workers
                        ? "batches of " + free / workers + " rows at most, fewer workers, or"
                        : "fewer workers, or")
                + " a larger max_locks_per_transaction, which takes a restart";
    }
}
