package dev.howdah.job.internal.worker;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.execute.JobExecutor;
import dev.howdah.job.internal.execute.RunningJobs;
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
    private ExecutorService thread = newThread();
    private boolean closed;

    public PoisonJobRunner(ConnectionSource source, JobExecutor runner) {
        this.source = source;
        this.runner = runner;
    }

    private static ExecutorService newThread() {
        return Executors.newSingleThreadExecutor(work -> Threads.daemon("howdah-job-suspect", work));
    }

    private synchronized void execute(Runnable work) {
        thread.execute(work);
    }

    /** A handler does not stop: those that wait go on in another thread, unless there are too many such handlers. */
    private synchronized void replaceThread() {
        if (closed || runner.running().lostPlaces() > 0) return;
        ExecutorService blocked = thread;
        thread = newThread();
        blocked.shutdownNow().forEach(thread::execute);
    }

    /**
     * Runs the job of that batch when those before it have ended.
     *
     * @param stopping true: the job is given back instead
     * @param ended is called when the batch has its outcome, and its place in the width is free
     */
    public void offer(ClaimedBatch batch, BooleanSupplier stopping, Consumer<ClaimedBatch> ended) {
        try {
            execute(new Task(batch, stopping, ended));
        } catch (RejectedExecutionException e) {
            if (batch.giveBack()) ended.accept(batch);
        }
    }

    /** A job that waits for its turn. */
    private final class Task implements Runnable, RunningJobs.Owner {
        private final ClaimedBatch batch;
        private final BooleanSupplier stopping;
        private final Consumer<ClaimedBatch> ended;

        Task(ClaimedBatch batch, BooleanSupplier stopping, Consumer<ClaimedBatch> ended) {
            this.batch = batch;
            this.stopping = stopping;
            this.ended = ended;
        }

        @Override
        public void run() {
            boolean over;
            try {
                batch.awaitPlace();
                over = isOver();
            } catch (InterruptedException e) {
                over = batch.giveBack();
            }
            if (over) ended.accept(batch);
        }

        @Override
        public void abandoned(RunningJobs.Seat seat) {
            replaceThread();
        }

        @Override
        public void ended(ClaimedBatch ofTask, boolean last) {
            ofTask.leave();
            if (last) ended.accept(ofTask);
        }

        private boolean isOver() {
            RunningJobs.Seat seat = runner.running().seat(this);
            try {
                if (stopping.getAsBoolean() || batch.isTooLate() || !begin(batch) || batch.isTooLate())
                    return batch.giveBack();
                int i = batch.begin();
                return i >= 0 && runner.run(seat, batch, i);
            } finally {
                if (seat.isAbandoned()) {
                    runner.running().abandonedEnded();
                } else {
                    runner.running().leave(seat);
                    batch.leave();
                }
            }
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
    public synchronized void close() {
        closed = true;
        thread.shutdown();
    }
}
