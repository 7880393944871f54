package dev.howdah.task.internal.dispatch;

import dev.howdah.task.internal.model.WaitingTask;
import dev.howdah.task.internal.queue.GroupQueue;
import dev.howdah.task.internal.session.SessionPool;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The owners that may start a task in one round: none has more tasks than it is allowed, and while sessions are short none
 * gets one before an owner that waits and has fewer. For an owner that is alone nothing changes. Belongs to the
 * scheduler's thread.
 */
final class OwnerShares {
    private record Use(@Nullable String owner, boolean remote) {}

    private final RunningTasks running;
    private final int most;

    /** How many tasks each owner that waits has now, and how many each is given in this round. */
    private final Map<Use, Integer> waiting = new HashMap<>();

    private final Map<Use, Integer> given = new HashMap<>();

    /** @param most tasks of one owner, other than the scheduler's role, that run at once */
    OwnerShares(RunningTasks running, int most) {
        this.running = running;
        this.most = most;
    }

    /** Takes in which owners wait for sessions that are short, here or at other servers. */
    void compete(List<GroupQueue> lanes, boolean atOtherServers, SessionPool sessions) {
        for (GroupQueue lane : lanes) {
            if (lane.key.isRemote() != atOtherServers) continue;
            WaitingTask next = lane.startable();
            // One that waits for its target could not use a session.
            if (next == null || !sessions.reach().hasRoom(lane.key.remote(), next.owner(), next.firstLine())) continue;
            Use use = new Use(next.owner(), atOtherServers);
            if (waiting.containsKey(use) || !atOtherServers && !sessions.mayOpen(next.owner())) continue;
            if (mayHaveMore(next.owner())) waiting.put(use, has(use));
        }
    }

    private int has(Use use) {
        return running.of(use.owner(), use.remote()) + given.getOrDefault(use, 0);
    }

    private boolean mayHaveMore(@Nullable String owner) {
        return owner == null
                || most == Integer.MAX_VALUE
                || has(new Use(owner, false)) + has(new Use(owner, true)) < most;
    }

    /** Returns whether a task of that owner may start now. */
    boolean mayStart(@Nullable String owner, boolean remote) {
        if (!mayHaveMore(owner)) return false;
        if (waiting.size() < 2 && (waiting.isEmpty() || waiting.containsKey(new Use(owner, remote)))) return true;
        int own = has(new Use(owner, remote));
        for (Map.Entry<Use, Integer> each : waiting.entrySet())
            if (each.getKey().remote() == remote && each.getValue() < own) return false;
        return true;
    }

    /** A task of that owner starts in this round. */
    void started(@Nullable String owner, boolean remote) {
        Use use = new Use(owner, remote);
        given.merge(use, 1, Integer::sum);
        waiting.computeIfPresent(use, (each, count) -> count + 1);
    }
}
