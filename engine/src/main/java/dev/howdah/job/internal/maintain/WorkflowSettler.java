package dev.howdah.job.internal.maintain;

import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Adds up what has happened to jobs of workflows, and does what follows from it; {@code 001-job/table-workflow.sql} describes the protocol. */
public final class WorkflowSettler implements MaintenanceRunner.MaintenanceTask {
    private static final Sql SETTLE = JobSql.WORKFLOW.statement("workflow_settle_events");
    private static final int EVENTS = 500;
    /** What ended in the same moment is seen then. */
    private static final long AGAIN_MILLIS = 20;

    @Override
    public long run(JobSession session) throws SQLException {
        return settle(session) == 0 ? MaintenanceRunner.WHEN_CALLED : AGAIN_MILLIS;
    }

    /** Returns how many events there were; -1 if another node is about to. */
    public static long settle(JobSession session) throws SQLException {
        try (ResultSet row = session.query(SETTLE, EVENTS)) {
            row.next();
            return row.getLong(1);
        }
    }
}
