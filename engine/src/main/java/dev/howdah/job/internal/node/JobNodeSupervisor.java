package dev.howdah.job.internal.node;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.node.NodeMembership;
import dev.howdah.internal.node.NodeSupervisor;
import dev.howdah.job.internal.execute.JobExecutor;
import dev.howdah.job.internal.lane.LaneRegistry;
import dev.howdah.job.internal.maintain.HistoryCleaner;
import dev.howdah.job.internal.maintain.JobMaintenance;
import dev.howdah.job.internal.store.JobSql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts a node, and another one when it is lost; cleans the history from time to time. */
public final class JobNodeSupervisor {
    private static final Logger log = LoggerFactory.getLogger(JobNodeSupervisor.class);
    /** A thread that waits for the database does not delay the interruption of jobs. */
    private static final int CLOCKS = 2;

    private static final long OVERDUE_MILLIS = 100;
    private static final long IDLE_SECONDS = 10;
    private static final long TIDY_MINUTES = 10;

    private final JobExecutor executor;
    private final JobMaintenance maintenance;
    private final HistoryCleaner cleaner;
    private final NodeSupervisor<JobNode> nodes;

    public JobNodeSupervisor(
            ConnectionSource source,
            NodeConfig config,
            JobExecutor executor,
            LaneRegistry lanes,
            JobMaintenance maintenance,
            HistoryCleaner cleaner) {
        this.executor = executor;
        this.maintenance = maintenance;
        this.cleaner = cleaner;
        this.nodes = new NodeSupervisor<>(
                "howdah-job-clock",
                CLOCKS,
                new NodeMembership(source, config.name(), JobSql.FEATURE, true),
                (membership, lost) -> JobNode.start(source, membership, config, executor, lanes, maintenance, lost),
                JobNode::id,
                JobNode::obstacle,
                JobNode::abandon);
    }

    public void start() throws SQLException {
        maintenance.start();
        try {
            nodes.start();
        } catch (SQLException | RuntimeException e) {
            maintenance.close();
            throw e;
        }
        nodes.every(OVERDUE_MILLIS, OVERDUE_MILLIS, TimeUnit.MILLISECONDS, executor.running()::interruptOverdue);
        nodes.every(OVERDUE_MILLIS, OVERDUE_MILLIS, TimeUnit.MILLISECONDS, executor::abandonStuck);
        nodes.every(IDLE_SECONDS, IDLE_SECONDS, TimeUnit.SECONDS, executor::closeIdleSessions);
        nodes.every(1, TIDY_MINUTES, TimeUnit.MINUTES, this::clean);
    }

    private void clean() {
        try {
            cleaner.tidy();
        } catch (SQLException | RuntimeException e) {
            log.warn("the history of jobs could not be cleaned, next try later: {}", e.getMessage());
        }
    }

    public int node() {
        return nodes.id();
    }

    /** Why it does not work now; null: it does. */
    public @Nullable String obstacle() {
        return nodes.obstacle();
    }

    public void close(Duration grace) {
        JobNode last = nodes.close();
        maintenance.close();
        if (last == null) {
            executor.close();
            return;
        }
        try {
            last.stop(grace);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            last.abandon();
        } finally {
            maintenance.writeNotes();
            executor.close();
            nodes.end();
        }
    }
}
