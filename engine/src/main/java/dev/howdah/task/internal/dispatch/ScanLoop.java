package dev.howdah.task.internal.dispatch;

import dev.howdah.task.internal.queue.CronAligner;
import dev.howdah.task.internal.queue.DueTask;
import dev.howdah.task.internal.queue.DueTaskScanner;
import dev.howdah.task.internal.queue.GroupPeek;
import dev.howdah.task.internal.queue.GroupQueue;
import dev.howdah.task.internal.queue.ScanResult;
import dev.howdah.task.internal.queue.ScanSchedule;
import dev.howdah.task.internal.queue.WaitingTasks;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Scans the table when that is worth while, and passes on what was found: to the waiting tasks, to the tasks that wait for other tasks, to the
 * tasks that are not on a point of their schedule, and to those that have waited too long. Belongs to the scheduler's thread.
 */
public final class ScanLoop {
    private final DueTaskScanner scanner;
    private final GroupPeek groupPeek;
    private final ScanSchedule schedule = new ScanSchedule();
    private final DependencyResolver dependents;
    private final CronAligner aligner;
    private final WaitingTasks waiting;
    private final RunningTasks running;
    private final TaskStore store;
    private boolean expired;
    private boolean watched;

    public ScanLoop(
            DueTaskScanner scanner,
            GroupPeek groupPeek,
            DependencyResolver dependents,
            CronAligner aligner,
            WaitingTasks waiting,
            RunningTasks running,
            TaskStore store) {
        this.scanner = scanner;
        this.groupPeek = groupPeek;
        this.dependents = dependents;
        this.aligner = aligner;
        this.waiting = waiting;
        this.running = running;
        this.store = store;
    }

    /** How long until the next scan; negative: it is due. */
    public long nanosToScan() {
        return schedule.nanosToScan();
    }

    /** Returns whether all tasks that were due have been read since the last scan from the beginning. */
    public boolean walkedAll() {
        return scanner.walkedAll() && dependents.walkedAll();
    }

    /** Returns whether a user's row trigger watches updates of the table, as far as the last scan has seen. */
    public boolean watched() {
        return watched;
    }

    /** Returns whether tasks have expired since the last call of this method. */
    public boolean takeExpired() {
        boolean some = expired;
        expired = false;
        return some;
    }

    /** How long until a scan is due although no table was written and no task has ended; null: none will be. */
    @Nullable
    public Duration next() {
        return Stream.of(schedule.next(), scanner.nextStart())
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    /**
     * Scans now; returns whether another scan is needed because tasks were moved.
     *
     * @param anew whether tasks may have come anywhere
     * @param wake whether to release the doorbell's lock first: statements that write from now on need not ring
     */
    public boolean scan(boolean anew, boolean wake) throws SQLException {
        if (anew) {
            scanner.startOver();
            dependents.startOver();
        }
        ScanResult result = scanner.scan(wake);
        schedule.scanned(result, anew, scanner.nextNanos());
        watched = result.watched();
        boolean moved = resolve(result);
        moved |= align(result.tasks());
        expire(result.tasks());
        waiting.saw(result);
        return moved;
    }

    /** Releases tasks that wait for other tasks, within the share of time that scans may take. */
    private boolean resolve(ScanResult result) throws SQLException {
        store.tellOfEnds(result.waits());
        if (!result.waits() && dependents.walkedAll()) return false;
        long begun = System.nanoTime();
        boolean released = dependents.walk(result.waits());
        schedule.took(result.nanos() + System.nanoTime() - begun);
        return released;
    }

    /** Asks for the order in groups where it is not known; returns whether another scan is needed. */
    public boolean peek() throws SQLException {
        List<GroupQueue> groups = waiting.unknown();
        if (groups.isEmpty()) return false;
        GroupPeek.Answer answer = groupPeek.peek(groups);
        boolean moved = align(answer.tasks());
        expire(answer.tasks());
        waiting.peeked(groups, answer);
        return moved;
    }

    /** Moves tasks to the points of their schedules. What was read of them is out of date after that. */
    private boolean align(List<DueTask> tasks) throws SQLException {
        if (tasks.stream().allMatch(each -> each.misplaced() == null)) return false;
        CronAligner.Result result = aligner.align(tasks);
        result.left().forEach(waiting::shun);
        return !result.moved().isEmpty();
    }

    private void expire(List<DueTask> tasks) throws SQLException {
        List<Long> late = new ArrayList<>();
        for (DueTask each : tasks) {
            if (each.misplaced() != null || running.contains(each.task().id())) continue;
            if (each.expires() <= 0) late.add(each.task().id());
            else schedule.expires(each.expires());
        }
        if (late.isEmpty()) return;
        store.expire(late);
        expired = true;
    }
}
