package dev.howdah.job.internal.maintain;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Promotes the first job of each order key that no job holds; {@code order.sql} describes the protocol. */
public final class OrderKeyPromoter implements MaintenanceRunner.MaintenanceTask {
    private static final Sql LOCK = JobSql.ORDER.statement("order_lock");
    private static final Sql LET_IN = JobSql.ORDER.statement("order_let_in");
    private static final int KEYS = 500;
    /** What ended or came in the same moment is seen then. */
    private static final long AGAIN_MILLIS = 20;

    @Override
    public long run(JobSession session) throws SQLException {
        long looked = letIn(session);
        if (looked < 0) return AGAIN_MILLIS;
        if (looked == 0) return MaintenanceRunner.WHEN_CALLED;
        return looked < KEYS ? AGAIN_MILLIS : 0;
    }

    /** Returns how many there were to look at; -1 if another node is about to. */
    public static long letIn(JobSession session) throws SQLException {
        return Transactions.in(session.connection(), () -> {
            try (ResultSet row = session.query(LOCK)) {
                if (!row.next() || !row.getBoolean(1)) return -1L;
            }
            long looked;
            try (ResultSet row = session.query(LET_IN, KEYS)) {
                row.next();
                looked = row.getLong(1);
            }
            return looked;
        });
    }
}
