package dev.howdah.job.internal.node;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.PoolerCheck;
import dev.howdah.internal.run.SaidOnce;
import dev.howdah.job.JobsException;
import dev.howdah.job.internal.await.JobAwaiter;
import dev.howdah.job.internal.insert.GroupCommit;
import dev.howdah.job.internal.lane.LaneRegistry;
import dev.howdah.job.internal.store.DayTables;
import dev.howdah.job.internal.store.JobSchema;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The preparation of the database before jobs are added or run: tables, and enough connections.
 *
 * @param source where calls borrow connections
 * @param sessions where kept connections come from
 * @param runsJobs whether there will be a node
 * @param transactional whether a handler runs in its job's own transaction
 * @param concurrency how many handlers run at the same time at most
 */
public record JobSetup(
        ConnectionSource source, ConnectionSource sessions, boolean runsJobs, boolean transactional, int concurrency) {
    private static final Logger log = LoggerFactory.getLogger(JobSetup.class);
    /** Two claimers, the one that listens and says that the node lives, and the one for schedules and the like. */
    private static final int KEPT = 4;

    private int kept() {
        return runsJobs ? KEPT : 0;
    }

    private boolean isShared() {
        return sessions == source;
    }

    /** Sees to it that the tables are there, all in one connection. */
    public LaneRegistry prepare() throws SQLException {
        checkConnections();
        try (Connection connection = sessions.getConnection()) {
            String objection = PoolerCheck.objection(sessions, connection);
            if (objection != null)
                throw new JobsException(
                        objection + " give JobsBuilder.sessionDataSource a data source that reaches PostgreSQL"
                                + " itself, or a pool with pool_mode = session");
            JobSchema.MIGRATIONS.migrate(connection);
            DayTables.make(connection);
            return new LaneRegistry(sessions);
        }
    }

    /** Says how many connections are needed, and refuses pools that have fewer. */
    private void checkConnections() throws SQLException {
        String shortly = "one for each call" + (transactional ? " and each transactional handler that runs" : "");
        String adding = "up to " + GroupCommit.WRITERS + " more to add jobs";
        int kept = kept();
        String lasting = kept == 0 ? adding : "a node keeps " + kept + " connections and " + adding;
        // One to add jobs, and one for all that is over in a moment.
        int least = kept + 2;
        if (isShared()) {
            source.require(
                    least,
                    "jobs need connections: " + lasting + ", and " + shortly
                            + "; make the pool larger, or give JobsBuilder.sessionDataSource a data source without a pool");
        } else {
            sessions.require(least, "jobs need connections of JobsBuilder.sessionDataSource: " + lasting);
            source.require(1, "jobs need connections: " + shortly + "; make the pool larger");
        }
        if (kept > 0) SaidOnce.info(log, "jobs: " + lasting + ", and " + shortly);
        String warning = warning();
        if (warning != null) SaidOnce.warn(log, warning);
    }

    /** What handlers may do to the other users of the pool; null: they leave it connections, or it does not say how many it has. */
    @Nullable
    String warning() {
        int free = source.poolSize() - (isShared() ? kept() : 0);
        if (!transactional || source.poolSize() < 0 || concurrency < free) return null;
        return "jobs: up to " + concurrency + " transactional handlers may take all of the " + free
                + " connections that the pool has for calls, for which the program then waits: make the pool larger, or lower the"
                + " concurrency";
    }

    /** With one connection more than the smallest pool has: it is kept while jobs are waited for. */
    public JobAwaiter awaiter() {
        return new JobAwaiter(source, sessions, kept() + (isShared() ? 3 : 2));
    }

    /**
     * How many connections are kept to add jobs: no more than a small pool can spare, with one for calls and one that is kept while jobs
     * are waited for.
     */
    public int writers() {
        int size = sessions.poolSize();
        int spare = size - kept() - 2;
        return size < 0 ? GroupCommit.WRITERS : Math.max(1, Math.min(GroupCommit.WRITERS, spare));
    }
}
