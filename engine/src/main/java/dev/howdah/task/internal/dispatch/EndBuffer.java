package dev.howdah.task.internal.dispatch;

import dev.howdah.task.internal.model.TaskResult;
import dev.howdah.task.internal.session.TaskSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Ends of short tasks, held for a moment while their lanes have more to run: many of them share a statement and a wait for
 * the disk, and the next task of the lane need not wait for either. But for one in the same session, which must not find
 * two rows at work there. Belongs to the scheduler's thread.
 */
public final class EndBuffer {
    private static final long HOLD_NANOS = Duration.ofMillis(3).toNanos();
    private static final int MOST = 64;

    private List<TaskResult> ends = new ArrayList<>();
    private final Set<Long> ids = new HashSet<>();
    private final Set<TaskSession> sessions = new HashSet<>();
    private long since;
    private boolean due;

    /**
     * @param session in which it has run; null if in none
     * @param more whether its lane goes on with another task, so that there is something to gain by holding it
     */
    void add(TaskResult end, @Nullable TaskSession session, boolean more) {
        if (ends.isEmpty()) since = System.nanoTime();
        ends.add(end);
        ids.add(end.id());
        if (session != null) sessions.add(session);
        due |= !more || ends.size() >= MOST;
    }

    boolean contains(long id) {
        return ids.contains(id);
    }

    /** Returns whether an end of a task of that session is held. */
    boolean holds(TaskSession session) {
        return sessions.contains(session);
    }

    List<TaskResult> ends() {
        return ends;
    }

    public boolean isEmpty() {
        return ends.isEmpty();
    }

    /** How long they may still be held; 0 if no longer. */
    public long nanosToHold() {
        return due ? 0 : Math.max(since + HOLD_NANOS - System.nanoTime(), 0);
    }

    /** Those that are to be written now: all or none. */
    List<TaskResult> takeDue() {
        return isEmpty() || nanosToHold() > 0 ? List.of() : take();
    }

    List<TaskResult> take() {
        List<TaskResult> all = ends;
        ends = new ArrayList<>();
        ids.clear();
        sessions.clear();
        due = false;
        return all;
    }
}
