package dev.howdah.task.internal.queue;

import dev.howdah.task.internal.queue.ScanPosition.Key;
import dev.howdah.task.internal.queue.ScanResult.Reach;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Scans the table for tasks that are due: a short queue as a whole; a long one page by page; and only what is new where a scan from the start
 * is slow and has just been done. Belongs to the scheduler's thread.
 */
public final class DueTaskScanner {
    /** Reads pages of the queue. */
    interface Source {
        /**
         * @param wake whether to release the doorbell's lock first: statements that write from now on need not ring
         * @param newest how many of the newest tasks to read besides, where the page does not reach the end of the queue
         * @param after the page begins behind this place
         */
        Page read(boolean wake, int newest, Key after, int limit) throws SQLException;

        /** Returns whether the default zone, in which schedules have been read, has changed. */
        boolean isZoneOutdated();
    }

    /**
     * A page of the queue, in its order.
     *
     * @param tasks those of the page, and the newest ones
     * @param size how many tasks the page has, without the newest ones
     * @param last the place of the last task of the page; {@link Key#START}: the page is empty
     * @param since from which plan on tasks are new after this page, including a moment for transactions that commit late
     * @param nextPlan how long until a task that is planned for later becomes due; null: there is none
     * @param watched whether a user's row trigger watches updates of the table
     * @param waits whether any task waits for other tasks
     */
    record Page(
            List<DueTask> tasks,
            int size,
            Key last,
            String since,
            @Nullable Duration nextPlan,
            boolean watched,
            boolean waits) {}

    /**
     * @param newest how many of the newest tasks every scan reads
     * @param page how many of the others a scan reads
     * @param whole up to so many more a scan may read to the end of the queue, so that no group has to be asked for its order
     */
    record Limits(int newest, int page, int whole) {
        static final Limits DEFAULT = new Limits(50, 450, 10_000);
    }

    private final Source source;
    private final Limits limits;
    private final LongSupplier nanoTime;
    private final ScanPosition position = new ScanPosition();
    private final ScanPacing pacing;

    public DueTaskScanner(DueTaskQueries queries) {
        this(queries, Limits.DEFAULT, System::nanoTime);
    }

    DueTaskScanner(Source source, Limits limits, LongSupplier nanoTime) {
        this.source = source;
        this.limits = limits;
        this.nanoTime = nanoTime;
        this.pacing = new ScanPacing(nanoTime.getAsLong());
    }

    /** The next scan begins with the oldest task, or, where that is slow and has just been done, does so soon. */
    public void startOver() {
        position.startOver();
    }

    /** Returns whether all tasks that were due have been read since {@link #startOver}, but for those of a scan that is still {@linkplain #nextStart owed}. */
    public boolean walkedAll() {
        return position.walkedAll();
    }

    /** How long the next scan will take, as far as the last ones tell. */
    public long nextNanos() {
        return pacing.expectedNanos(readsOnlyNew(nanoTime.getAsLong()));
    }

    /** How long until a scan from the start is due, because the last scans were none; null: none is owed. */
    @Nullable
    public Duration nextStart() {
        return position.owesStart() ? pacing.untilStart(nanoTime.getAsLong()) : null;
    }

    private boolean readsOnlyNew(long now) {
        return position.place() instanceof ScanPosition.Since && pacing.skipsStart(now);
    }

    /** @param wake whether to release the doorbell's lock first: statements that write from now on need not ring */
    public ScanResult scan(boolean wake) throws SQLException {
        long begun = nanoTime.getAsLong();
        if (position.place() instanceof ScanPosition.Since since && pacing.skipsStart(begun))
            return scanNew(begun, since, wake);
        return position.place() instanceof ScanPosition.Walking ? walkOn(begun, wake) : scanFromStart(begun, wake);
    }

    private ScanResult scanNew(long begun, ScanPosition.Since since, boolean wake) throws SQLException {
        Page page = source.read(wake, 0, since.from(), limits.whole());
        boolean end = page.size() < limits.whole();
        if (end) position.readNew(page.since());
        else position.tooManyNew();
        long nanos = nanoTime.getAsLong() - begun;
        pacing.scannedNew(nanos);
        return result(page, end ? Reach.NEW : Reach.SOME, nanos);
    }

    private ScanResult walkOn(long begun, boolean wake) throws SQLException {
        Page page = source.read(wake, limits.newest(), position.begin(), limits.page());
        long nanos = nanoTime.getAsLong() - begun;
        pacing.scanned(nanos);
        if (page.size() < limits.page()) position.ended();
        else position.walked(page.last());
        return result(page, Reach.SOME, nanos);
    }

    private ScanResult scanFromStart(long begun, boolean wake) throws SQLException {
        Page page = source.read(wake, limits.newest(), Key.START, limits.page());
        long now = nanoTime.getAsLong();
        long nanos = now - begun;
        pacing.scannedFromStart(now, nanos);
        boolean end = page.size() < limits.page();
        if (!end && pacing.mayReadOn()) {
            Page rest = readOn(page.last());
            end = rest.size() < limits.whole();
            page = joined(page, rest);
        }
        if (end) position.readAll(page.since());
        else position.walked(page.last());
        return result(page, end ? Reach.ALL : Reach.SOME, nanos);
    }

    private Page readOn(Key after) throws SQLException {
        pacing.readOnBegins(nanoTime.getAsLong());
        Page rest = source.read(false, 0, after, limits.whole());
        pacing.readOnEnds(nanoTime.getAsLong(), rest.size() < limits.whole());
        return rest;
    }

    /** What is new is counted from the first page on: a task may have been committed between the two. */
    private static Page joined(Page first, Page rest) {
        List<DueTask> tasks = new ArrayList<>(first.tasks());
        tasks.addAll(rest.tasks());
        return new Page(
                tasks,
                first.size() + rest.size(),
                rest.size() == 0 ? first.last() : rest.last(),
                first.since(),
                rest.nextPlan(),
                rest.watched(),
                rest.waits());
    }

    private ScanResult result(Page page, Reach reach, long nanos) {
        List<DueTask> tasks = page.tasks();
        // Tasks judged in the wrong zone could be moved to a time at which no scan looks before it comes.
        if (tasks.stream().anyMatch(DueTask::inDefaultZone) && source.isZoneOutdated())
            tasks = tasks.stream().filter(each -> !each.inDefaultZone()).toList();
        return new ScanResult(tasks, reach, page.nextPlan(), page.watched(), page.waits(), nanos);
    }
}
