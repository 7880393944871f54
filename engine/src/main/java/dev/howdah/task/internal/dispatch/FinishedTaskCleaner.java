package dev.howdah.task.internal.dispatch;

import dev.howdah.task.internal.leader.LeaderSession;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes rows whose tasks have ended long ago, some in each step, between steps leaving the scheduler's time to tasks.
 *
 * <p>It needs no index of its own: it walks along the key, because what was added earlier mostly ended earlier. A walk
 * ends where nothing is old enough any more. Where it begins rows may lie that wait for years: how far there is nothing
 * but those is remembered, and only now and then looked at again. Belongs to the scheduler's thread.
 */
public final class FinishedTaskCleaner {
    private static final Logger log = LoggerFactory.getLogger(FinishedTaskCleaner.class);

    private static final int STEP = 500;

    /** It takes one part in so many of the time. */
    private static final int SHARE = 25;

    /** After so many rows in a row that have ended, none of them long ago, the rest is taken for younger. */
    private static final int YOUNG_ENOUGH = 2_000;

    private static final Duration FULL_WALK = Duration.ofHours(1);
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    /**
     * The result of a step.
     *
     * @param ended how many of the rows had ended, before some were removed
     * @param due in how many seconds the next will be old enough; null if none has ended
     */
    private record Step(
            long last,
            int looked,
            int removed,
            int ended,
            int young,
            @Nullable Double due) {
        static Step of(ResultSet row) throws SQLException {
            return new Step(
                    row.getLong("last"),
                    row.getInt("looked"),
                    row.getInt("removed"),
                    row.getInt("ended"),
                    row.getInt("young"),
                    row.getObject("due", Double.class));
        }
    }

    private final LeaderSession leaderSession;
    private final Supplier<@Nullable Duration> kept;
    private long nextAt = System.nanoTime();
    private long fullAt = System.nanoTime();

    /** Up to here nothing had ended. */
    private long floor = Long.MIN_VALUE;

    private long walked = Long.MIN_VALUE;
    private boolean walking;
    private boolean atFloor;
    private int young;
    private double due;
    private boolean oneByOne;

    /** @param kept how long rows are kept; null for ever */
    public FinishedTaskCleaner(LeaderSession leaderSession, Supplier<@Nullable Duration> kept) {
        this.leaderSession = leaderSession;
        this.kept = kept;
    }

    /** How long until {@link #step} has something to do. */
    public long nanosToStep() {
        return kept.get() == null ? Long.MAX_VALUE : Math.max(nextAt - System.nanoTime(), 0);
    }

    /** Takes the next step if it is time for it. */
    public void step() throws SQLException {
        Duration age = kept.get();
        long begun = System.nanoTime();
        if (age == null || begun - nextAt < 0) return;
        if (!walking) begin(age);
        Step step = remove(age.toMillis() + " ms");
        boolean end = took(step);
        long now = System.nanoTime();
        nextAt = now + (now - begun) * SHARE;
        if (end) rest(age, now);
    }

    private void begin(Duration age) {
        walking = true;
        atFloor = true;
        oneByOne = false;
        young = 0;
        due = Double.POSITIVE_INFINITY;
        if (System.nanoTime() - fullAt >= 0) {
            floor = Long.MIN_VALUE;
            fullAt = System.nanoTime() + (age.compareTo(FULL_WALK) < 0 ? age : FULL_WALK).toNanos();
        }
        walked = floor;
    }

    /** Says whether that was the end of the walk. */
    private boolean took(Step step) {
        if (step.looked() > 0) walked = step.last();
        atFloor &= step.ended() == 0;
        if (atFloor) floor = walked;
        if (step.due() != null) due = Math.min(due, step.due());
        young = step.young() == step.ended() ? young + step.young() : 0;
        return step.looked() < STEP || young >= YOUNG_ENOUGH;
    }

    /** What ends from now on is not old before {@code age} is over. */
    private void rest(Duration age, long now) {
        walking = false;
        long pause = Math.min(Math.max(age.toNanos() / 100, SHORTEST_PAUSE.toNanos()), LONGEST_PAUSE.toNanos());
        long next = (long) (Math.min(due, age.toMillis() / 1e3) * 1e9);
        nextAt = now + Math.max(pause, next);
    }

    private Step remove(String age) throws SQLException {
        if (!oneByOne) {
            try {
                List<Step> steps = new ArrayList<>();
                leaderSession
                        .message()
                        .add("session_prepare_step", null)
                        .add("session_check_at_once", null)
                        .add("task_remove_old", row -> steps.add(Step.of(row)), walked, STEP, age)
                        .sendOnce();
                return steps.get(0);
            } catch (SQLException e) {
                if (leaderSession.isLoss(e)) throw e;
                oneByOne = true;
                log.info("some old rows cannot be removed, the others are removed one by one: {}", e.getMessage());
            }
        }
        return removeEach(age);
    }

    private Step removeEach(String age) throws SQLException {
        List<Step> steps = new ArrayList<>();
        // Before they are gone: this tells how far the step goes.
        leaderSession.each("task_walked", row -> steps.add(Step.of(row)), walked, STEP, age);
        try {
            leaderSession
                    .message()
                    .add("session_prepare_step", null)
                    .add("session_check_at_once", null)
                    .add("task_choose_old", null, walked, STEP, age)
                    .add("task_remove_each", null)
                    .sendOnce();
        } catch (SQLException e) {
            if (leaderSession.isLoss(e)) throw e;
            log.warn("old rows behind task {} cannot be removed: {}", walked, e.getMessage());
        }
        return steps.get(0);
    }
}
