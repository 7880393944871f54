package dev.howdah.task.internal.dispatch;

import dev.howdah.task.internal.leader.LeaderSession;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tasks that wait for other tasks: {@code plan} infinity, the others in {@code after}. They are found by the ends of those
 * others; and by a walk along all that wait, some at each look, which finds what was added after the others had ended and
 * what a crash has left. Where nothing waits it does nothing. Belongs to the scheduler's thread.
 */
public final class DependencyResolver {
    private static final Logger log = LoggerFactory.getLogger(DependencyResolver.class);

    /** How many are judged at once, and how many of the newest are judged at every look. */
    private static final int STEP = 300;

    private static final int NEWEST = 30;

    /** The end of one; {@code again}: it waits for other numbers than before. */
    private record Resolution(FollowUps.Ended task, boolean gone, boolean again) {}

    private final LeaderSession leaderSession;
    private final FollowUps successors;
    private boolean waits;
    private long walked = Long.MIN_VALUE;
    private boolean walkedAll;

    public DependencyResolver(LeaderSession leaderSession, FollowUps successors) {
        this.leaderSession = leaderSession;
        this.successors = successors;
    }

    /** The next walk begins with the oldest. */
    void startOver() {
        walked = Long.MIN_VALUE;
        walkedAll = false;
    }

    /** Returns whether all that wait have been judged since the walk began. */
    boolean walkedAll() {
        return walkedAll;
    }

    /**
     * Goes on with the walk.
     *
     * @param anything whether anything waits
     * @return whether something may start now
     */
    boolean walk(boolean anything) throws SQLException {
        waits = anything;
        if (!waits) {
            walkedAll = true;
            return false;
        }
        List<Long> ids = new ArrayList<>();
        int[] found = {0};
        leaderSession.each(
                "task_waiting",
                row -> {
                    long id = row.getLong("id");
                    ids.add(id);
                    if (row.getInt("part") == 2) return;
                    found[0]++;
                    walked = id;
                },
                walked,
                STEP,
                NEWEST);
        if (found[0] < STEP) {
            walked = Long.MIN_VALUE;
            walkedAll = true;
        }
        return resolve(ids.stream().distinct().toList());
    }

    /** These have ended, one way or another; says whether something may start now. */
    public boolean ended(List<Long> ids) throws SQLException {
        return waits && !ids.isEmpty() && resolve(of(ids));
    }

    private List<Long> of(List<Long> ids) throws SQLException {
        List<Long> found = new ArrayList<>();
        leaderSession
                .message()
                .add("task_planned_anew", null)
                .add("task_dependents", row -> found.add(row.getLong("id")), ids.toArray(Long[]::new), STEP)
                .send();
        return found;
    }

    private boolean resolve(List<Long> ids) throws SQLException {
        boolean released = false;
        List<Long> open = ids;
        while (!open.isEmpty()) {
            List<Long> next = new ArrayList<>();
            List<Long> gone = new ArrayList<>();
            for (Resolution resolution : write(open)) {
                if (resolution.gone()) gone.add(resolution.task().id());
                else if (resolution.again()) next.add(resolution.task().id());
                else released = true;
            }
            // Whatever waits for these waits in vain.
            if (!gone.isEmpty()) next.addAll(of(gone));
            open = next;
        }
        return released;
    }

    private List<Resolution> write(List<Long> ids) throws SQLException {
        List<Resolution> resolutions = new ArrayList<>();
        try {
            successors.atomically(() -> {
                resolutions.clear();
                resolutions.addAll(leaderSession.query(
                        "task_judge",
                        row -> new Resolution(FollowUps.ended(row), row.getBoolean("gone"), row.getBoolean("again")),
                        ids.toArray(Long[]::new),
                        leaderSession.table().schema(),
                        leaderSession.table().table()));
                successors.follow(resolutions.stream()
                        .filter(Resolution::gone)
                        .map(Resolution::task)
                        .toList());
            });
            return resolutions;
        } catch (SQLException e) {
            if (leaderSession.isLoss(e)) throw e;
            if (ids.size() == 1) {
                log.warn("task {}, which waits for others, cannot be written: {}", ids.get(0), e.getMessage());
                return List.of();
            }
            List<Resolution> one = new ArrayList<>();
            for (Long id : ids) one.addAll(write(List.of(id)));
            return one;
        }
    }
}
