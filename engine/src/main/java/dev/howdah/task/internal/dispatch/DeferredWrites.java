package dev.howdah.task.internal.dispatch;

import dev.howdah.task.internal.model.TaskResult;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes what has to be written before others may start: tasks given back, ends that repeat or pause, what follows tasks
 * that have written their end themselves; and, four times a second, the writes that a lock of another session has prevented.
 * Belongs to the scheduler's thread.
 */
public final class DeferredWrites {
    private static final Duration RETRY = Duration.ofMillis(250);

    private final RunningTasks running;
    private final TaskStore store;
    private final List<Long> held = new ArrayList<>();
    private final List<Long> unclosed = new ArrayList<>();
    private long triedAt = System.nanoTime();

    public DeferredWrites(RunningTasks running, TaskStore store) {
        this.running = running;
        this.store = store;
    }

    /** Says whether there was anything new to write, or all that was held up is written now. */
    public boolean settle() throws SQLException {
        List<Long> returned = running.takeReturned();
        List<TaskResult> alone = running.takeEndsAlone();
        if (!returned.isEmpty()) held.addAll(store.giveBack(returned));
        if (!alone.isEmpty()) store.writeAny(alone, running.unwritten());
        boolean tries = isBehind() && System.nanoTime() - triedAt >= RETRY.toNanos();
        if (tries) catchUp();
        boolean caughtUp = tries && !isBehind();
        List<Long> marked = new ArrayList<>(running.takeMarked());
        marked.addAll(store.ownEnds().take());
        if (!marked.isEmpty()) unclosed.addAll(store.close(marked));
        return caughtUp || !returned.isEmpty() || !alone.isEmpty() || !marked.isEmpty();
    }

    private boolean isBehind() {
        return !held.isEmpty() || !unclosed.isEmpty() || !running.unwritten().isEmpty();
    }

    private void catchUp() throws SQLException {
        triedAt = System.nanoTime();
        List<Long> returned = List.copyOf(held);
        held.clear();
        if (!returned.isEmpty()) held.addAll(store.giveBack(returned));
        List<TaskResult> ends = List.copyOf(running.unwritten());
        running.unwritten().clear();
        if (!ends.isEmpty()) store.writeAny(ends, running.unwritten());
        List<Long> marked = List.copyOf(unclosed);
        unclosed.clear();
        if (!marked.isEmpty()) unclosed.addAll(store.close(marked));
    }

    /** Writes the results of tasks that have ended while no scheduler was there to do it. */
    public void adopt() throws SQLException {
        List<Long> marked = store.ownEnds().marked(running.ids());
        if (!marked.isEmpty()) unclosed.addAll(store.close(marked));
    }

    /** When there is something to try again; null if there is nothing. */
    @Nullable
    public Duration nextTry() {
        return isBehind() ? RETRY : null;
    }
}
