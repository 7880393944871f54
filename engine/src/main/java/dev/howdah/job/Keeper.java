package dev.howdah.job;

import dev.howdah.internal.run.Threads;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sees to it that there is a node: when one has lost its number another begins. And that the house is kept. */
final class Keeper {
    private static final Logger log = LoggerFactory.getLogger(Keeper.class);
    /** Whoever waits for the database shall not keep jobs from being interrupted in time. */
    private static final int CLOCKS = 2;

    private static final long OVERDUE_MILLIS = 100;
    private static final long TIDY_MINUTES = 10;
    private static final long AGAIN_MILLIS = 1_000;

    private final DataSource source;
    private final Duty duty;
    private final JobRunner runner;
    private final Lanes lanes;
    private final Errands errands;
    private final Housekeeper housekeeper;
    private final ScheduledExecutorService clockwork;
    private @Nullable Node node;
    private boolean closed;

    Keeper(DataSource source, Duty duty, JobRunner runner, Lanes lanes, Errands errands, Housekeeper housekeeper) {
        this.source = source;
        this.duty = duty;
        this.runner = runner;
        this.lanes = lanes;
        this.errands = errands;
        this.housekeeper = housekeeper;
        this.clockwork = new ScheduledThreadPoolExecutor(CLOCKS, work -> Threads.daemon("howdah-job-clock", work));
    }

    synchronized void start() throws SQLException {
        errands.start();
        node = Node.start(source, duty, runner, lanes, errands, this::lost);
        clockwork.scheduleWithFixedDelay(
                runner::interruptOverdue, OVERDUE_MILLIS, OVERDUE_MILLIS, TimeUnit.MILLISECONDS);
        clockwork.scheduleWithFixedDelay(this::keepHouse, 1, TIDY_MINUTES, TimeUnit.MINUTES);
    }

    private void keepHouse() {
        try {
            housekeeper.prepare();
            housekeeper.tidy();
        } catch (SQLException | RuntimeException e) {
            log.warn("house could not be kept, it will be another time: {}", e.getMessage());
        }
    }

    private synchronized void lost() {
        Node former = node;
        if (closed || former == null) return;
        log.warn("node {} was lost; what it had is others' now", former.id());
        node = null;
        former.abandon();
        again();
    }

    private synchronized void again() {
        if (closed) return;
        try {
            node = Node.start(source, duty, runner, lanes, errands, this::lost);
        } catch (SQLException | RuntimeException e) {
            log.warn("no node could be started, another time: {}", e.getMessage());
            clockwork.schedule(this::again, AGAIN_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    synchronized int node() {
        Node now = node;
        return now == null ? 0 : now.id();
    }

    void close(Duration grace) {
        Node last;
        synchronized (this) {
            closed = true;
            last = node;
            node = null;
        }
        errands.close();
        try {
            if (last != null) last.stop(grace);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            if (last != null) last.abandon();
        } finally {
            clockwork.shutdownNow();
        }
    }
}
