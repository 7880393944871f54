package dev.howdah.sweep.internal.work;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.internal.trace.Tracing;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.internal.store.RowKey;
import dev.howdah.sweep.internal.store.SweepSqlErrors;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes batches until nothing is left, in a session of its own; opens that again when it is lost. Runs in a thread of its own. */
public final class SweepWorker implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(SweepWorker.class);
    private static final Tracing TRACING = Tracing.find(SweepWorker.class);
    private static final long LONG_NANOS = 1_000_000_000;
    private static final long SHORT_NANOS = 250_000_000;
    private static final int FIRST = 4;
    private static final long LONGEST_NAP_MILLIS = 5_000;
    /** For how long batches stay as small as they had to be made when the server had no room for more locks. */
    private static final long MODEST_NANOS = 30_000_000_000L;

    private final int number;
    private final ConnectionSource source;
    private final LockingSession.Plans plans;
    private final IntSupplier process;
    private final BatchProcessor work;
    private final int batch;
    private final WorkerContext context;
    private final Consumer<Throwable> failed;
    private @Nullable LockingSession session;
    private int size;
    private int most;
    private long fullNanos;
    private long nap;

    /** @param process the number of the process, which may change */
    public SweepWorker(
            int number,
            ConnectionSource source,
            LockingSession.Plans plans,
            IntSupplier process,
            BatchProcessor work,
            int batch,
            WorkerContext context,
            Consumer<Throwable> failed) {
        this.number = number;
        this.source = source;
        this.plans = plans;
        this.process = process;
        this.work = work;
        this.batch = batch;
        this.context = context;
        this.failed = failed;
        this.most = batch;
        this.size = work.isWhole() ? batch : Math.min(FIRST, batch);
    }

    public int number() {
        return number;
    }

    public WorkerCounters counters() {
        return context.counters();
    }

    @Override
    public void run() {
        try {
            while (true) {
                List<RowKey> keys = context.prefetcher().take(context.control().most(size));
                if (keys == null) return;
                work(keys);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            failed.accept(e);
        } finally {
            context.control().leave();
            close();
        }
    }

    private void work(List<RowKey> keys) throws InterruptedException {
        long begun = System.nanoTime();
        BatchProcessor.Result result = new BatchProcessor.Result(0, keys);
        try {
            LockingSession open = session;
            if (open == null) {
                int owner = process.getAsInt();
                open = LockingSession.open(
                        source, plans, owner, number, context.worked().epoch());
                session = open;
                // If the process has got another number meanwhile, this session is not known to be one of its own.
                if (process.getAsInt() != owner)
                    throw new SQLException("this process was taken for dead a moment ago", "57P05");
            }
            result = traced(open, keys);
            context.control().databaseOutage().worked();
            nap = 0;
            long nanos = System.nanoTime() - begun;
            context.metrics().took(nanos);
            adapt(keys.size(), nanos);
        } catch (SQLException e) {
            recover(e);
        } finally {
            context.prefetcher().settle(keys.size(), result.done(), result.missed());
        }
    }

    /** A batch is a span of its own, within which the handler's are. */
    private BatchProcessor.Result traced(LockingSession open, List<RowKey> keys)
            throws SQLException, InterruptedException {
        try {
            return TRACING.working(
                    "sweep batch",
                    Map.of("sweep.name", context.sweep(), "sweep.rows", Integer.toString(keys.size())),
                    null,
                    () -> work.run(open, keys, context));
        } catch (SQLException | InterruptedException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("nothing else is thrown", e);
        }
    }

    /** Batches take less than a second: rows that are locked longer than needed cannot be done by another worker. */
    private void adapt(int rows, long nanos) {
        if (nanos > LONG_NANOS) size = (int) Math.max(1, Math.min(size, rows * (LONG_NANOS / 2) / nanos));
        else if (nanos < SHORT_NANOS && rows >= size) size = Math.min(most, size * 2);
        if (most == batch || System.nanoTime() - fullNanos < MODEST_NANOS) return;
        most = Math.min(batch, most * 2);
        fullNanos = System.nanoTime();
    }

    private void recover(SQLException e) throws InterruptedException {
        if (context.control().isEnding()) {
            close();
            return;
        }
        if (SqlErrors.isOutOfMemory(e)) {
            close();
            if (size == 1) {
                failed.accept(new SweepException(
                        "the server's lock table is full: raise max_locks_per_transaction, or take smaller batches and fewer workers",
                        e));
                return;
            }
            size = Math.max(1, size / 2);
            most = size;
            fullNanos = System.nanoTime();
            log.warn("worker {}: the server's lock table is full, batches have {} rows now", number, size);
        } else if (SqlErrors.isConnectionLost(e) || SqlErrors.isOutOfResources(e) || SqlErrors.isConflict(e)) {
            close();
            if (SqlErrors.isConnectionLost(e)) context.worked().forget();
            context.control().databaseOutage().failed("a batch cannot be worked on", SweepSqlErrors.text(e));
        } else {
            close();
            failed.accept(e);
            return;
        }
        nap = Math.min(Math.max(nap * 2, 50), LONGEST_NAP_MILLIS);
        TimeUnit.MILLISECONDS.sleep(nap);
    }

    private void close() {
        LockingSession open = session;
        session = null;
        if (open != null) open.close();
    }
}
