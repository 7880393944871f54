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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sees to it that there is a node, and that the house is kept. */
public final class JobNodeSupervisor {
    private static final Logger log = LoggerFactory.getLogger(JobNodeSupervisor.class);
    /** A thread that waits for the database does not delay the interruption of jobs. */
    private static final int CLOCKS = 2;

    private static final long OVERDUE_MILLIS = 100;
    private static final long IDLE_SECONDS = 10;
    private static final long TIDY_MINUTES = 10;

    private final JobExecutor runner;
    private final JobMaintenance errands;
    private final HistoryCleaner housekeeper;
    private final NodeSupervisor<JobNode> nodes;

    public JobNodeSupervisor(
            ConnectionSource source,
            NodeConfig duty,
            JobExecutor runner,
            LaneRegistry lanes,
            JobMaintenance errands,
            HistoryCleaner housekeeper) {
        this.runner = runner;
        this.errands = errands;
        this.housekeeper = housekeeper;
        this.nodes = new NodeSupervisor<>(
                "howdah-job-clock",
                CLOCKS,
                new NodeMembership(source, duty.name(), JobSql.FEATURE),
                (membership, lost) -> JobNode.start(source, membership, duty, runner, lanes, errands, lost),
                JobNode::id,
                JobNode::abandon);
    }

    public void start() throws SQLException {
        errands.start();
        nodes.start();
        nodes.every(OVERDUE_MILLIS, OVERDUE_MILLIS, TimeUnit.MILLISECONDS, runner.running()::interruptOverdue);
        nodes.every(OVERDUE_MILLIS, OVERDUE_MILLIS, TimeUnit.MILLISECONDS, runner::abandonStuck);
        nodes.every(IDLE_SECONDS, IDLE_SECONDS, TimeUnit.SECONDS, runner::closeIdleSessions);
        nodes.every(1, TIDY_MINUTES, TimeUnit.MINUTES, this::keepHouse);
    }

    private void keepHouse() {
        try {
            housekeeper.prepare();
            housekeeper.tidy();
        } catch (SQLException | RuntimeException e) {
            log.warn("house could not be kept, it will be another time: {}", e.getMessage());
        }
    }

    public int node() {
        return nodes.number();
    }

    public void close(Duration grace) {
        JobNode last = nodes.close();
        errands.close();
        if (last == null) {
            runner.close();
            return;
        }
        try {
            last.stop(grace);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            last.abandon();
        } finally {
            errands.writeNotes();
            runner.close();
            nodes.end();
        }
    }
}
