package dev.howdah.task.internal.dispatch;

import dev.howdah.task.internal.queue.CronAligner;
import dev.howdah.task.internal.queue.DueTaskScanner;
import dev.howdah.task.internal.queue.DueTaskScanner.Look;
import dev.howdah.task.internal.queue.DueTaskScanner.Seen;
import dev.howdah.task.internal.queue.GroupQueue;
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
 * Looks what waits when that is worth while, and sees to it that everybody who has to know of it does: the backlog, those
 * that wait for other tasks, those that are not on a point of their schedule, those that have waited too long. Belongs to
 * the scheduler's thread.
 */
public final class ScanLoop {
    /** Looking may take one part in so many of the time. */
    private static final int LOOK_SHARE = 20;

    /** The same while hardly anything waits: who adds single tasks then does not want to wait for the next look. */
    private static final int IDLE_SHARE = 5;

    private static final int HARDLY_ANYTHING = 50;

    private static final long MIN_LOOK_NANOS = 700_000;
    private static final long MAX_LOOK_NANOS = Duration.ofSeconds(1).toNanos();

    private final DueTaskScanner lookout;
    private final DependencyResolver dependents;
    private final CronAligner alignment;
    private final WaitingTasks backlog;
    private final RunningTasks running;
    private final TaskStore store;
    private long lookedAt = System.nanoTime();
    private long lookGap;
    private long expiryAt = Long.MAX_VALUE;
    private boolean expired;
    private boolean watched;
    private @Nullable Duration nextPlan;

    public ScanLoop(
            DueTaskScanner lookout,
            DependencyResolver dependents,
            CronAligner alignment,
            WaitingTasks backlog,
            RunningTasks running,
            TaskStore store) {
        this.lookout = lookout;
        this.dependents = dependents;
        this.alignment = alignment;
        this.backlog = backlog;
        this.running = running;
        this.store = store;
    }

    /** How long until the next look; negative if it is due. */
    public long nanosToLook() {
        return lookedAt + lookGap - System.nanoTime();
    }

    /** Whether everything that was due has been seen since the last look from the beginning. */
    public boolean walkedAll() {
        return lookout.walkedAll() && dependents.walkedAll();
    }

    /** Whether somebody's row trigger watches the table's updates, as far as the last look has seen. */
    public boolean watched() {
        return watched;
    }

    /** Whether tasks have expired since this was last asked. */
    public boolean takeExpired() {
        boolean some = expired;
        expired = false;
        return some;
    }

    /** How long until something happens without anybody's doing; null if nothing will. */
    @Nullable
    public Duration next() {
        return Stream.of(
                        nextPlan == null ? null : nextPlan.minusNanos(System.nanoTime() - lookedAt),
                        expiryAt == Long.MAX_VALUE ? null : Duration.ofNanos(expiryAt - System.nanoTime()),
                        lookout.nextStart())
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    /**
     * Looks now; says whether it has to be looked again, because something has been moved.
     *
     * @param anew whether something may have come anywhere
     * @param wake whether to let go of the doorbell's lock first: who writes from now on need not ring
     */
    public boolean look(boolean anew, boolean wake) throws SQLException {
        if (anew) {
            lookout.startOver();
            dependents.startOver();
        }
        Look look = lookout.look(wake);
        if (anew && look.reach() != DueTaskScanner.Reach.NEW) expiryAt = Long.MAX_VALUE;
        lookedAt = System.nanoTime();
        boolean idle = look.reach() == DueTaskScanner.Reach.ALL && look.seen().size() <= HARDLY_ANYTHING;
        int share = idle ? IDLE_SHARE : LOOK_SHARE;
        lookGap = Math.min(Math.max(lookout.nextNanos() * share, MIN_LOOK_NANOS), MAX_LOOK_NANOS);
        watched = look.watched();
        boolean moved = walk(look);
        nextPlan = look.nextPlan();
        moved |= align(look.seen());
        expire(look.seen());
        backlog.saw(look);
        return moved;
    }

    /** Sees after those that wait for other tasks, within the time that looking may take. */
    private boolean walk(Look look) throws SQLException {
        store.tellOfEnds(look.waits());
        if (!look.waits() && dependents.walkedAll()) return false;
        long begun = System.nanoTime();
        boolean released = dependents.walk(look.waits());
        long share = (look.nanos() + System.nanoTime() - begun) * LOOK_SHARE;
        lookGap = Math.min(Math.max(share, lookGap), MAX_LOOK_NANOS);
        return released;
    }

    /** Asks for the order in lanes of which it is not known; says whether it has to be looked again. */
    public boolean peek() throws SQLException {
        List<GroupQueue> lanes =
                backlog.ready().stream().filter(GroupQueue::needsPeek).toList();
        if (lanes.isEmpty()) return false;
        int limit = lookout.peekLimit();
        List<Seen> answer = lookout.peek(lanes, limit);
        boolean moved = align(answer);
        expire(answer);
        backlog.peeked(lanes, answer, limit, lookout.slowPeek());
        return moved;
    }

    /** Moves tasks to the points of their schedules. What has been seen of them is out of date after that. */
    private boolean align(List<Seen> seen) throws SQLException {
        if (seen.stream().allMatch(each -> each.misplaced() == null)) return false;
        CronAligner.Result result = alignment.align(seen);
        result.left().forEach(backlog::shun);
        return !result.moved().isEmpty();
    }

    private void expire(List<Seen> seen) throws SQLException {
        List<Long> late = new ArrayList<>();
        for (Seen each : seen) {
            if (each.misplaced() != null || running.contains(each.task().id())) continue;
            if (each.expires() <= 0) late.add(each.task().id());
            else
                expiryAt = Math.min(
                        expiryAt,
                        lookedAt + DueTaskScanner.seconds(each.expires()).toNanos());
        }
        if (late.isEmpty()) return;
        store.expire(late);
        expired = true;
    }
}
