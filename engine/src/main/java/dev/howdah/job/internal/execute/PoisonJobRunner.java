package dev.howdah.job.internal.execute;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.store.JobSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works the jobs that nodes have died with more than once: one after the other, in a thread of its own, and each says in the database that
 * it begins. So the next death is counted against the one job that ran. Safe for use by many threads.
 */
public final class PoisonJobRunner implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PoisonJobRunner.class);
    private static final Sql BEGIN_ALONE = JobSql.JOB.statement("batch_begin");

    private final ConnectionSource source;
    private final JobExecutor runner;
    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(work -> Threads.daemon("howdah-job-suspect", work));

    public PoisonJobRunner(ConnectionSource source, JobExecutor runner) {
        this.source = source;
        this.runner = runner;
    }

    /**
     * Runs the job of that batch when those before it have ended.
     *
     * @param stopping true: the job is given back instead
     * @param ended is called when the batch has its outcome, and its place in the width is free
     */
    public void offer(ClaimedBatch batch, BooleanSupplier stopping, Consumer<ClaimedBatch> ended) {
        try {
            thread.execute(() -> work(batch, stopping, ended));
        } catch (RejectedExecutionException e) {
            if (batch.giveBack()) ended.accept(batch);
        }
    }

    private void work(ClaimedBatch batch, BooleanSupplier stopping, Consumer<ClaimedBatch> ended) {
        boolean over;
        try {
            batch.awaitPlace();
            try {
                over = isOverAfter(batch, stopping);
            } finally {
                batch.leave();
            }
        } catch (InterruptedException e) {
            over = batch.giveBack();
        }
        if (over) ended.accept(batch);
    }

    private boolean isOverAfter(ClaimedBatch batch, BooleanSupplier stopping) {
        if (stopping.getAsBoolean() || !begin(batch)) return batch.giveBack();
        int i = batch.begin();
        RunningJobs.Seat seat = runner.running().seat();
        try {
            return i >= 0 && runner.run(seat, batch, i);
        } finally {
            runner.running().leave(seat);
        }
    }

    private boolean begin(ClaimedBatch batch) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement =
                        BEGIN_ALONE.prepare(connection, batch.node(), batch.batch(), batch.token())) {
            return statement.executeUpdate() == 1;
        } catch (SQLException | RuntimeException | Error e) {
            log.warn("job {} could not say that it begins: {}", batch.job(0).id(), ErrorText.line(e));
            return false;
        }
    }

    /** Begins no other one. */
    @Override
    public void close() {
        thread.shutdown();
    }
}
