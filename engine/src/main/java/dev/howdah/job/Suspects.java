package dev.howdah.job;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.sql.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works the jobs that nodes have died with more than once: one after the other, in a thread of its own, and each says in the database that
 * it begins. So the next death is counted against the one job that ran. Safe for use by many threads.
 */
final class Suspects implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Suspects.class);
    private static final Sql BEGIN_ALONE = JobSession.JOB.statement("begin_alone");

    private final ConnectionSource source;
    private final JobRunner runner;
    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(work -> Threads.daemon("howdah-job-suspect", work));

    Suspects(ConnectionSource source, JobRunner runner) {
        this.source = source;
        this.runner = runner;
    }

    void offer(Lease lease, NodeState node) {
        try {
            thread.execute(() -> work(lease, node));
        } catch (RejectedExecutionException e) {
            if (lease.giveBack()) node.round().ended(lease);
        }
    }

    private void work(Lease lease, NodeState node) {
        if (node.isStopping() || !begin(lease)) {
            if (lease.giveBack()) node.round().ended(lease);
            return;
        }
        int i = lease.begin();
        JobRunner.Seat seat = runner.seat();
        try {
            if (i >= 0 && runner.run(seat, lease, i)) node.round().ended(lease);
        } finally {
            runner.leave(seat);
        }
    }

    private boolean begin(Lease lease) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement =
                        BEGIN_ALONE.prepare(connection, lease.node(), lease.batch(), lease.token())) {
            return statement.executeUpdate() == 1;
        } catch (SQLException | RuntimeException | Error e) {
            log.warn("job {} could not say that it begins: {}", lease.job(0).id(), ErrorText.line(e));
            return false;
        }
    }

    /** Begins no other one. */
    @Override
    public void close() {
        thread.shutdown();
    }
}
