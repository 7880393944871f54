package dev.howdah.job.internal.history;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.pause.PauseMark;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes jobs whose time is over where a rule says so, in steps of a transaction each: in a thread and a session of its own, for an archive
 * may take its time, and both only while something is due. Safe for use by many threads.
 */
public final class RetentionRunner implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RetentionRunner.class);
    private static final Sql STEP = JobSql.NODE.statement("retention_step");
    /** Batches or failed jobs of one step. */
    private static final int MOST = 500;

    private final ConnectionSource source;
    private boolean running;
    private volatile boolean closed;

    public RetentionRunner(ConnectionSource source) {
        this.source = source;
    }

    /** Something is due. */
    public synchronized void call() {
        if (running || closed) return;
        running = true;
        Threads.daemon("howdah-job-retention", this::work).start();
    }

    private void work() {
        try {
            runDue();
        } catch (SQLException | RuntimeException e) {
            if (!closed)
                log.warn("jobs whose time is over could not be removed, it will be tried again: {}", e.getMessage());
        } finally {
            synchronized (this) {
                running = false;
            }
        }
    }

    /** Does all that is due now, unless another node does it. */
    public void runDue() throws SQLException {
        try (JobSession session = JobSession.open(source)) {
            while (!closed && !PauseMark.isSet(session.connection()) && step(session)) {}
        }
    }

    private static boolean step(JobSession session) throws SQLException {
        return Transactions.in(session.connection(), () -> {
            try (ResultSet row = session.query(STEP, MOST)) {
                row.next();
                String problem = row.getString("problem");
                if (problem != null)
                    log.warn("a retention removes nothing, see howdah.retention; it will be tried again: {}", problem);
                return row.getObject("rule") != null;
            }
        });
    }

    /** Begins no further step; one that goes on ends by itself. */
    @Override
    public void close() {
        closed = true;
    }
}
