package dev.howdah.task.internal.queue;

import dev.howdah.task.internal.model.GroupKey;
import dev.howdah.task.internal.model.WaitingTask;
import dev.howdah.task.internal.session.TaskSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One queue of tasks: a group, or a group with a remote. Knows how many of its tasks run, some of those that wait, and
 * which sessions could go on with the next. Belongs to the scheduler's thread.
 */
public final class GroupQueue {
    private static final long LONG_NANOS = Duration.ofSeconds(1).toNanos();

    /** A task that takes less than this is shorter than what is written about it. */
    private static final long QUICK_NANOS = Duration.ofMillis(5).toNanos();

    /** Of those that were passed over: the one that waits for longest comes first. */
    static final Comparator<GroupQueue> LONGEST = (a, b) -> Long.signum(a.passedOverAt - b.passedOverAt);

    public final GroupKey key;
    final int hash;
    private final TurnOrder waiting = new TurnOrder();
    private final List<TaskSession> open = new ArrayList<>();
    private int running;
    private boolean more;
    private boolean quick;
    private @Nullable WaitingTask from;
    private long passedOverAt;

    public GroupQueue(GroupKey key, int hash) {
        this.key = key;
        this.hash = hash;
    }

    int running() {
        return running;
    }

    public void started() {
        running++;
        passedOverAt = 0;
    }

    /** A task of it could start, but for want of a session. */
    public void passedOver() {
        if (passedOverAt == 0) passedOverAt = System.nanoTime();
    }

    /** Nothing of it could start now. */
    void satisfied() {
        passedOverAt = 0;
    }

    /** Returns whether it has been {@linkplain #passedOver passed over} for so long that it comes first now. */
    public boolean waitsLong() {
        return passedOverAt != 0 && System.nanoTime() - passedOverAt > LONG_NANOS;
    }

    /** When it was {@linkplain #passedOver passed over}, as {@link System#nanoTime}; 0: it was not. */
    long passedOverAt() {
        return passedOverAt;
    }

    /** Whether nothing but a session is missing for its next task, which is not one of those that are kept for it. */
    boolean waitsForSession() {
        return !key.isRemote() && open.isEmpty() && startable() != null;
    }

    public void ended() {
        running--;
    }

    /** How long a task of it has run. */
    public void took(long nanos) {
        quick = nanos < QUICK_NANOS;
    }

    /** Returns whether its last task was a short one. */
    public boolean isQuick() {
        return quick;
    }

    /** Everything up to the last of these is known now; {@code all}: and nothing waits behind it. */
    void learned(List<WaitingTask> candidates, boolean all) {
        waiting.clear();
        candidates.forEach(waiting::add);
        more = !all;
    }

    /**
     * A task that was seen waiting. If it is not among those known, and not behind them where nothing is known, then what
     * is known is out of date: others may have come with it, and the table has to be asked for their order.
     */
    void saw(WaitingTask candidate) {
        if (waiting.contains(candidate)) return;
        if (more && !waiting.isEmpty() && candidate.compareTo(waiting.last()) > 0) return;
        if (from != null && candidate.compareTo(from) < 0) from = null;
        outdated();
    }

    /** One of all those that have come since everything was known that waits. */
    public void joined(WaitingTask candidate) {
        if (more) saw(candidate);
        else waiting.add(candidate);
    }

    /** What is known of those that wait may be wrong. */
    public void doubt() {
        from = null;
        outdated();
    }

    private void outdated() {
        waiting.clear();
        more = true;
    }

    /**
     * Where to ask from for those that wait: in front of it there was no task when it was asked from there, only dead rows
     * and tasks of the future, which are not to be walked over each time. A task that appears there is {@linkplain #saw seen} and
     * makes an end of it. Null: from the start.
     */
    @Nullable
    WaitingTask from() {
        return from;
    }

    void from(WaitingTask first) {
        from = first;
    }

    public void forget(WaitingTask candidate) {
        waiting.remove(candidate);
    }

    /** The next in turn, if it may run beside what runs now. */
    @Nullable
    public WaitingTask startable() {
        WaitingTask first = waiting.first();
        return first != null && running <= first.beside() ? first : null;
    }

    /** Those next in turn that may run beside what runs now, and beside each other; at most {@code limit}. */
    public List<WaitingTask> startable(int limit) {
        List<WaitingTask> next = new ArrayList<>();
        for (WaitingTask candidate : waiting) {
            if (next.size() >= limit || running + next.size() > candidate.beside()) break;
            next.add(candidate);
        }
        return next;
    }

    /** The first in turn that a session, which is its owner's, may go on with; it may run beside what runs now. */
    @Nullable
    public WaitingTask startableIn(TaskSession session) {
        double age = session.age();
        WaitingTask next = waiting.first(candidate -> candidate.max() >= session.firstMax()
                && candidate.mayContinue(session.done(), age)
                && session.isOf(candidate.owner()));
        return next != null && running <= next.beside() ? next : null;
    }

    /** Returns whether to ask the table which task is next. */
    public boolean needsPeek() {
        return more && waiting.isEmpty();
    }

    /** Returns whether something is known to wait or may wait. */
    public boolean hasWaiting() {
        return more || !waiting.isEmpty();
    }

    /** A session of this lane has ended a task and may go on. */
    public void keepOpen(TaskSession session) {
        open.add(session);
    }

    public Iterator<TaskSession> open() {
        return open.iterator();
    }

    /** For how long the first of its sessions still waits for a task; {@code Long.MAX_VALUE} if none is kept. */
    public long nanosToLinger() {
        long first = Long.MAX_VALUE;
        for (TaskSession session : open) first = Math.min(first, session.nanosToLinger());
        return first;
    }

    /** Nothing runs, waits, or is kept for it. */
    boolean isIdle() {
        return running == 0 && !hasWaiting() && open.isEmpty();
    }

    /** Ranks lanes that compete for sessions: the lane with most room left comes first, then the one whose task is older. */
    int room() {
        WaitingTask first = waiting.first();
        return first == null ? Integer.MIN_VALUE : first.beside() - running;
    }

    long firstId() {
        WaitingTask first = waiting.first();
        return first == null ? Long.MAX_VALUE : first.id();
    }
}
