package dev.howdah.sweep.internal.run;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.error.AttemptLog;
import dev.howdah.internal.run.Threads;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.SweepOutageException;
import dev.howdah.sweep.internal.control.BackpressureProbe;
import dev.howdah.sweep.internal.control.SweepControl;
import dev.howdah.sweep.internal.read.KeyPrefetcher;
import dev.howdah.sweep.internal.read.KeyScanner;
import dev.howdah.sweep.internal.read.RunStamper;
import dev.howdah.sweep.internal.statements.SweepStatements;
import dev.howdah.sweep.internal.store.SweepSqlErrors;
import dev.howdah.sweep.internal.store.TargetTable;
import dev.howdah.sweep.internal.work.BatchProcessor;
import dev.howdah.sweep.internal.work.LockingSession;
import dev.howdah.sweep.internal.work.SweepMetrics;
import dev.howdah.sweep.internal.work.SweepWorker;
import dev.howdah.sweep.internal.work.WorkedRows;
import dev.howdah.sweep.internal.work.WorkerConfig;
import dev.howdah.sweep.internal.work.WorkerContext;
import dev.howdah.sweep.internal.work.WorkerCounters;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The part that this process has in a sweep: a prefetcher, workers, a reporter, and how all of them end. Safe for use by many threads. */
public final class SweepRun {
    private static final Logger log = LoggerFactory.getLogger(SweepRun.class);

    private final SweepControl control;
    private final KeyPrefetcher prefetcher;
    private final ProgressReporter reporter;
    private final List<SweepWorker> workers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private @Nullable Throwable failure;
    private @Nullable String ordered;

    /** The settings of a run in one process. */
    record Setup(
            ConnectionSource source,
            TargetTable target,
            String name,
            int sweep,
            int run,
            SweepStatements statements,
            boolean isProven,
            boolean isStamped,
            LockingSession.Plans plans,
            BatchProcessor work,
            WorkerConfig config,
            BackpressureProbe probe,
            ProgressReporter.Counter counter) {}

    private SweepRun(Setup setup) {
        control = new SweepControl();
        WorkerConfig config = setup.config();
        int ahead = Math.max(500, Math.min(2 * config.locks(), 20_000));
        KeyScanner candidates = new KeyScanner(setup.source(), setup.target(), setup.sweep(), setup.statements());
        RunStamper stamps =
                setup.isStamped() ? new RunStamper(setup.source(), setup.sweep(), setup.statements(), control) : null;
        prefetcher = new KeyPrefetcher(candidates, stamps, control, ahead, this::fail);
        // A process that joins others need not go row by row until it has got one itself: it would run after them.
        if (setup.isProven()) prefetcher.prove();
        SweepMetrics metrics = new SweepMetrics(config.metrics(), setup.name());
        reporter = new ProgressReporter(
                setup.source(),
                new ProgressReporter.Entry(
                        setup.sweep(),
                        setup.run(),
                        config.process(),
                        config.locks(),
                        config.mostFailed(),
                        config.maxOutage()),
                control,
                setup.probe(),
                setup.counter(),
                this::order,
                this::fail,
                metrics);
        AttemptLog failed = new AttemptLog(log);
        WorkedRows worked = new WorkedRows();
        for (int i = 1; i <= config.workers(); i++) {
            WorkerContext context = new WorkerContext(
                    setup.name(),
                    control,
                    prefetcher,
                    worked,
                    setup.target().isGuarded(),
                    new WorkerCounters(),
                    metrics,
                    failed,
                    config.retries(),
                    config.mostFailures(),
                    config.mostFailed());
            workers.add(new SweepWorker(
                    i,
                    setup.source(),
                    setup.plans(),
                    reporter::process,
                    setup.work(),
                    config.batch(),
                    context,
                    this::fail));
        }
    }

    /** Joins and begins to work. */
    static SweepRun start(Setup setup) throws SQLException {
        SweepRun run = new SweepRun(setup);
        run.reporter.begin(run.workers);
        run.threads.add(Threads.daemon("howdah-sweep-keys", run.prefetcher));
        String prefix = Threads.prefix("howdah-sweep", List.of(setup.name()));
        for (SweepWorker each : run.workers) run.threads.add(Threads.daemon(prefix + "-" + each.number(), each));
        for (Thread each : run.threads) each.start();
        Threads.loop("howdah-sweep-reporter", run.reporter).start();
        Threads.daemon("howdah-sweep-end", run::awaitWorkers).start();
        return run;
    }

    /** What the book says: the sweep is not to go on. */
    private synchronized void order(String state) {
        if (ordered == null) ordered = state;
        end();
    }

    private void fail(Throwable e) {
        synchronized (this) {
            if (failure == null && !control.isEnding()) failure = e;
        }
        end();
    }

    private void end() {
        control.end();
        prefetcher.wake();
    }

    private void awaitWorkers() {
        try {
            for (Thread each : threads) each.join();
        } catch (InterruptedException e) {
            return;
        }
        Throwable reason;
        String told;
        synchronized (this) {
            reason = failure;
            told = ordered;
        }
        boolean done = !control.isEnding();
        boolean leaves = told != null || reason instanceof SweepOutageException;
        if (reason != null) log.warn(leaves ? "{}" : "the sweep has failed: {}", SweepSqlErrors.text(reason));
        reporter.end(
                leaves ? null : reason != null ? "failed" : done ? "done" : null,
                reason == null ? null : message(reason));
        ended.countDown();
    }

    private static String message(Throwable e) {
        return e instanceof SweepException && e.getMessage() != null ? e.getMessage() : SweepSqlErrors.text(e);
    }

    /** How many rows this process has done. */
    public long done() {
        return workers.stream().mapToLong(each -> each.counters().all()).sum();
    }

    /** Waits until this process does nothing more for the sweep. */
    public void join() throws InterruptedException {
        ended.await();
    }

    /** As {@link #join()}; false if it still did after that time. */
    public boolean join(Duration time) throws InterruptedException {
        return ended.await(TimeUnit.NANOSECONDS.convert(time), TimeUnit.NANOSECONDS);
    }

    /** Hears at once what the book says. */
    public void look() {
        if (ended.getCount() > 0) reporter.hurry();
    }

    /** Why the sweep cannot go on; null: it can. */
    synchronized @Nullable public Throwable failure() {
        return failure;
    }

    /** Begins nothing any more, waits for rows that are in work, and interrupts those that take longer than the grace. */
    public void leave(Duration grace) {
        end();
        try {
            if (join(grace)) return;
            for (Thread each : threads) each.interrupt();
            join(Duration.ofSeconds(10));
        } catch (InterruptedException e) {
            for (Thread each : threads) each.interrupt();
            Thread.currentThread().interrupt();
        }
    }
}
