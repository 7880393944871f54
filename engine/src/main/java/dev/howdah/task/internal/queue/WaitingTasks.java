package dev.howdah.task.internal.queue;

import dev.howdah.task.internal.model.GroupKey;
import dev.howdah.task.internal.model.WaitingTask;
import dev.howdah.task.internal.queue.ScanResult.Reach;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * All lanes in which tasks run or wait, as far as the scheduler has seen. What it holds are hints: the table decides when
 * a task is claimed. Belongs to the scheduler's thread.
 */
public final class WaitingTasks {
    /** How long a task is left alone that could not be claimed, because another session holds its row. */
    private static final long SHUN_NANOS = Duration.ofMillis(250).toNanos();

    /** Where there are sessions enough the order does not matter; where not, no group is to get them all. */
    private static final Comparator<GroupQueue> FEWEST_RUNNING = Comparator.comparingInt(GroupQueue::running)
            .thenComparing(Comparator.comparingInt(GroupQueue::room).reversed())
            .thenComparingLong(GroupQueue::firstId);

    private final Map<GroupKey, GroupQueue> lanes = new HashMap<>();
    /** Those about which something has changed since they were considered. */
    private final Set<GroupQueue> ready = new LinkedHashSet<>();

    /** Those that were considered, and wait for a session. */
    private final GroupLine line = new GroupLine();

    private final Map<Long, Long> shunned = new HashMap<>();
    private final LongPredicate isRunning;

    public WaitingTasks(LongPredicate isRunning) {
        this.isRunning = isRunning;
    }

    public GroupQueue lane(GroupKey key, int hash) {
        return lanes.computeIfAbsent(key, k -> new GroupQueue(k, hash));
    }

    /** Takes in the tasks that a scan has read, without those that have expired. */
    public void saw(ScanResult result) {
        if (result.reach() == Reach.ALL) {
            learn(byLane(result.tasks()), true);
            return;
        }
        for (DueTask seen : result.tasks()) {
            if (!isOpen(seen)) continue;
            GroupQueue lane = lanes.get(seen.lane());
            if (result.reach() == Reach.NEW)
                lane(seen.lane(), seen.task().hash()).joined(seen.task());
            else if (lane == null) lane(seen.lane(), seen.task().hash()).doubt();
            else lane.saw(seen.task());
            touched(lane(seen.lane(), seen.task().hash()));
        }
    }

    private void learn(Map<GroupKey, List<WaitingTask>> all, boolean complete) {
        for (GroupQueue lane : lanes.values()) {
            lane.learned(all.getOrDefault(lane.key, List.of()), complete);
            touched(lane);
        }
        all.forEach((key, candidates) -> {
            if (lanes.containsKey(key)) return;
            GroupQueue lane = lane(key, candidates.get(0).hash());
            lane.learned(candidates, complete);
            touched(lane);
        });
    }

    /** Takes in the answer to a peek. */
    public void peeked(List<GroupQueue> asked, GroupPeek.Answer answer) {
        Map<GroupKey, Integer> counts = new HashMap<>();
        Map<GroupKey, WaitingTask> firsts = new HashMap<>();
        for (DueTask seen : answer.tasks()) {
            counts.merge(seen.lane(), 1, Integer::sum);
            firsts.putIfAbsent(seen.lane(), seen.task());
        }
        for (GroupQueue lane : asked) {
            WaitingTask first = firsts.get(lane.key);
            if (first != null && (answer.far() || lane.from() != null)) lane.from(first);
        }
        Map<GroupKey, List<WaitingTask>> known = byLane(answer.tasks());
        for (GroupQueue lane : asked) {
            lane.learned(known.getOrDefault(lane.key, List.of()), counts.getOrDefault(lane.key, 0) < answer.limit());
            touched(lane);
        }
    }

    private Map<GroupKey, List<WaitingTask>> byLane(List<DueTask> tasks) {
        Map<GroupKey, List<WaitingTask>> lists = new HashMap<>();
        for (DueTask each : tasks)
            if (isOpen(each))
                lists.computeIfAbsent(each.lane(), k -> new ArrayList<>()).add(each.task());
        return lists;
    }

    private boolean isOpen(DueTask seen) {
        if (seen.misplaced() != null
                || seen.expires() <= 0
                || isRunning.test(seen.task().id())) return false;
        Long until = shunned.isEmpty() ? null : shunned.get(seen.task().id());
        return until == null || System.nanoTime() - until >= 0;
    }

    /** Something about the lane has changed: it may have a task to start. */
    public void touched(GroupQueue lane) {
        line.remove(lane);
        ready.add(lane);
    }

    /**
     * A round has started what it could of this lane. Before something changes there is nothing to do for it, or it waits for a session; only if the
     * table has to be asked, or a session is kept for it, it is ready in the next round as well.
     */
    public void considered(GroupQueue lane) {
        if (lane.needsPeek()) return;
        if (lane.waitsForSession()) {
            ready.remove(lane);
            line.add(lane);
        } else if (lane.startable() == null) {
            ready.remove(lane);
            lane.satisfied();
            if (lane.isIdle()) lanes.remove(lane.key);
        }
    }

    /** Lanes of which the table has to be asked which task is next. */
    public List<GroupQueue> unknown() {
        return ready.stream().filter(GroupQueue::needsPeek).toList();
    }

    /**
     * Lanes that may have a task to start: those that have waited long, the longest first; then those of which fewest
     * tasks run, among them those with most room. All about which something has changed, and the first of the others.
     *
     * @param sessions how many of the others could get a session in a round, at most
     */
    public List<GroupQueue> ready(int sessions) {
        ready.addAll(line.take(sessions));
        List<GroupQueue> sorted = new ArrayList<>(ready);
        if (sorted.size() < 2) return sorted;
        // Time passes while they are sorted: which of them wait long is asked once.
        List<GroupQueue> all = new ArrayList<>();
        List<GroupQueue> others = new ArrayList<>();
        for (GroupQueue lane : sorted) (lane.waitsLong() ? all : others).add(lane);
        all.sort(GroupQueue.LONGEST.thenComparing(FEWEST_RUNNING));
        others.sort(FEWEST_RUNNING);
        all.addAll(others);
        return all;
    }

    /** Leaves a task alone for a moment: it could not be claimed. */
    public void shun(WaitingTask task) {
        shunned.put(task.id(), System.nanoTime() + SHUN_NANOS);
    }

    /** A task of a lane could not begin after all: another session has changed it, or holds its row. */
    public void left(WaitingTask task, GroupQueue lane) {
        shun(task);
        lane.ended();
        lane.doubt();
        touched(lane);
    }

    /** When the first of those left alone is to be tried again; null if there is none. */
    @Nullable
    public Duration nextTry() {
        long now = System.nanoTime();
        // The last scan may have passed over a task whose time is up since.
        if (shunned.values().removeIf(until -> now - until >= 0)) return Duration.ZERO;
        return shunned.values().stream()
                .map(until -> Duration.ofNanos(until - now))
                .min(Comparator.naturalOrder())
                .orElse(null);
    }
}
