package dev.howdah.task.internal.dispatch;

import dev.howdah.internal.run.Background;
import dev.howdah.spi.reach.Cancellation;
import dev.howdah.task.internal.leader.LeaderSession;
import dev.howdah.task.internal.session.TaskSession;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cancels running tasks that take longer than their {@code duration}, and those whose rows have been set to STOP, where
 * {@code pg_task.cancel} asks for that. The trigger of the
 * table rings for a scheduler that sleeps; one that is awake looks a few times a second. A task that goes on in spite of
 * being cancelled is ended together with its session. Belongs to the scheduler's thread.
 */
public final class CancelWatch {
    private static final Logger log = LoggerFactory.getLogger(CancelWatch.class);
    private static final long LOOK_NANOS = Duration.ofMillis(200).toNanos();
    private static final Duration AGAIN = Duration.ofMillis(250);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** When it was first cancelled, and last. */
    private record Cancelled(long first, long last) {}

    private final LeaderSession leaderSession;
    private final RunningTasks running;
    private final Background background;
    private final BooleanSupplier wanted;
    private final Map<Long, Cancelled> cancelled = new HashMap<>();
    private long lookedAt = System.nanoTime() - LOOK_NANOS;

    public CancelWatch(
            LeaderSession leaderSession, RunningTasks running, Background background, BooleanSupplier wanted) {
        this.leaderSession = leaderSession;
        this.running = running;
        this.background = background;
        this.wanted = wanted;
    }

    /** @param rung whether the table may have been written since the last time */
    public void step(boolean rung) throws SQLException {
        cancelled.keySet().removeIf(id -> !running.contains(id));
        // What is done elsewhere has no session that anybody else could cancel.
        boolean looks = running.size() > 0 && (wanted.getAsBoolean() || running.isReaching());
        if (looks && (rung || System.nanoTime() - lookedAt >= LOOK_NANOS)) look();
        long now = System.nanoTime();
        for (Long id : running.takeOverdue(now)) cancelled.putIfAbsent(id, new Cancelled(now, now - AGAIN.toNanos()));
        cancelled.replaceAll((id, times) -> now - times.last() < AGAIN.toNanos() ? times : cancel(id, times, now));
    }

    private void look() throws SQLException {
        List<Long> stopped = leaderSession.query("task_stopped", row -> row.getLong("id"), (Object) running.ids());
        lookedAt = System.nanoTime();
        long past = lookedAt - AGAIN.toNanos();
        boolean all = wanted.getAsBoolean();
        for (Long id : stopped)
            if ((all || running.cancellation(id) != null) && running.stop(id))
                cancelled.putIfAbsent(id, new Cancelled(lookedAt, past));
    }

    private Cancelled cancel(long id, Cancelled times, long now) {
        Cancellation cancellation = running.cancellation(id);
        if (cancellation != null) background.run(cancellation::cancel);
        TaskSession session = running.session(id);
        if (session == null) return times; // still to connect: it will not begin
        if (now - times.first() < PATIENCE.toNanos()) {
            background.run(session::cancel);
        } else {
            log.warn("task {} goes on in spite of being cancelled, ending its session {}", id, session.pid());
            background.run(session::abort);
        }
        return new Cancelled(times.first(), now);
    }

    /** When there is something to try again; null if there is nothing. */
    @Nullable
    public Duration nextTry() {
        Duration deadline = running.untilOverdue();
        if (cancelled.isEmpty()) return deadline;
        return deadline != null && deadline.compareTo(AGAIN) < 0 ? deadline : AGAIN;
    }
}
