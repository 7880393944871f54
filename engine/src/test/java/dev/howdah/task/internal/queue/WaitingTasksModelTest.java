package dev.howdah.task.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.internal.SeededModel;
import dev.howdah.task.internal.model.GroupKey;
import dev.howdah.task.internal.model.WaitingTask;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Lanes and backlog against a simple reference, a table that is sorted anew for every question. Random
 * inserts, changes, deletions and ends, seen through looks and peeks that show only a part.
 */
class WaitingTasksModelTest implements SeededModel {
    private static final int STEPS = 1_000;
    private static final int MOST = 60;
    private static final int PEEK = 3;
    private static final int NEWEST = 2;
    private static final int WALK = 4;

    private record Row(GroupKey lane, WaitingTask task) {}

    private final Map<Long, Row> waiting = new TreeMap<>();
    private final Map<Long, GroupKey> running = new TreeMap<>();
    private final WaitingTasks backlog = new WaitingTasks(running::containsKey);
    private long lastId;
    private long walked;
    private boolean far;

    /** What has come since everything was seen; null while not everything was. */
    private @Nullable Set<Long> unseen;

    @Override
    public void run(long seed) {
        Random random = new Random(seed);
        for (int step = 0; step < STEPS; step++) {
            change(random);
            String where = "seed " + seed + ", step " + step;
            if (random.nextBoolean()) {
                look(random.nextInt(4) == 0, random.nextInt(4) > 0);
                round(where, false, random.nextInt(4), 1 + random.nextInt(3));
            }
            if (random.nextInt(20) == 0) far = !far;
            if (random.nextInt(10) == 0) settle(where, random);
        }
        settle("seed " + seed + ", at the end", random);
    }

    /** Somebody writes to the table, or a task ends. */
    private void change(Random random) {
        switch (random.nextInt(6)) {
            case 0, 1 -> {
                for (int i = random.nextInt(5); i >= 0 && waiting.size() < MOST; i--) {
                    insert(random, ++lastId);
                    if (unseen != null) unseen.add(lastId);
                }
            }
            case 2 -> any(random, waiting.keySet()).forEach(waiting::remove);
            case 3 -> any(random, waiting.keySet()).forEach(id -> insert(random, id)); // another max, another group
            default -> any(random, running.keySet()).forEach(this::end);
        }
    }

    private void insert(Random random, long id) {
        GroupKey lane = new GroupKey("g" + random.nextInt(4), random.nextInt(3) == 0 ? "r" : null);
        waiting.put(id, new Row(lane, new WaitingTask(id, lane.hashCode(), random.nextInt(5) - 1, 0, 0)));
    }

    private static List<Long> any(Random random, Set<Long> ids) {
        List<Long> all = new ArrayList<>(ids);
        return all.isEmpty() ? List.of() : List.of(all.get(random.nextInt(all.size())));
    }

    private void end(long id) {
        GroupKey key = Objects.requireNonNull(running.remove(id));
        GroupQueue lane = backlog.lane(key, key.hashCode());
        lane.ended();
        backlog.touched(lane);
    }

    /** All that waits; or all that is new since; or the newest few and the next few of a walk over the whole. */
    private void look(boolean all, boolean news) {
        List<DueTask> seen = new ArrayList<>();
        if (news && unseen != null && !all) {
            for (Row row : waiting.values()) if (unseen.contains(row.task().id())) seen.add(seen(row));
            unseen.clear();
            backlog.saw(new ScanResult(seen, ScanResult.Reach.NEW, null, false, false, 0));
            return;
        }
        unseen = all ? new HashSet<>() : null;
        if (all) {
            waiting.values().forEach(row -> seen.add(seen(row)));
            walked = 0;
        } else {
            waiting.values().stream()
                    .sorted(Comparator.comparingLong((Row row) -> row.task().id())
                            .reversed())
                    .limit(NEWEST)
                    .forEach(row -> seen.add(seen(row)));
            List<Row> part = waiting.values().stream()
                    .filter(row -> row.task().id() > walked)
                    .limit(WALK)
                    .toList();
            part.forEach(row -> seen.add(seen(row)));
            walked = part.size() < WALK ? 0 : part.get(part.size() - 1).task().id();
        }
        backlog.saw(new ScanResult(seen, all ? ScanResult.Reach.ALL : ScanResult.Reach.SOME, null, false, false, 0));
    }

    private static DueTask seen(Row row) {
        return new DueTask(row.lane(), row.task(), Double.POSITIVE_INFINITY, null, false);
    }

    /**
     * What the scheduler does in a round: asks for the order where it is not known, starts what may start.
     *
     * @param sessions how many tasks can start
     * @param considered how many lanes that wait for a session are considered
     */
    private boolean round(String where, boolean upToDate, int sessions, int considered) {
        List<GroupQueue> asked = backlog.unknown();
        List<DueTask> answer = new ArrayList<>();
        for (GroupQueue lane : asked)
            inOrder(lane.key).stream()
                    .filter(row -> lane.from() == null || row.task().compareTo(lane.from()) >= 0)
                    .limit(PEEK)
                    .forEach(row -> answer.add(seen(row)));
        if (!asked.isEmpty()) backlog.peeked(asked, new GroupPeek.Answer(answer, PEEK, far));
        int started = 0;
        for (GroupQueue lane : backlog.ready(considered)) {
            WaitingTask next = lane.startable();
            while (next != null && started < sessions) {
                started++;
                start(lane, next, where, upToDate);
                next = lane.startable();
            }
            if (next != null) lane.passedOver();
            backlog.considered(lane);
        }
        return started > 0 || !backlog.unknown().isEmpty();
    }

    private void start(GroupQueue lane, WaitingTask next, String where, boolean upToDate) {
        assertThat(count(lane.key))
                .as("%s: as many run as the lane says", where)
                .isEqualTo(lane.running());
        assertThat(lane.running()).as("%s: running beside %s", where, next).isLessThanOrEqualTo(next.beside());
        lane.forget(next);
        Row row = waiting.get(next.id());
        if (row == null || !row.lane().equals(lane.key) || !row.task().equals(next)) {
            // The table says no, as it would to a claim.
            assertThat(upToDate).as("%s: %s is known to be gone", where, next).isFalse();
            lane.doubt();
            backlog.touched(lane);
            return;
        }
        if (upToDate)
            assertThat(next)
                    .as("%s: the next in turn", where)
                    .isEqualTo(inOrder(lane.key).get(0).task());
        waiting.remove(next.id());
        running.put(next.id(), lane.key);
        lane.started();
    }

    /** Looks until everything was seen, without a change meanwhile: then nothing is left that could start. */
    private void settle(String where, Random random) {
        boolean all = random.nextBoolean();
        for (int i = 0; i <= waiting.size() / WALK + 2; i++) {
            look(all, false);
            while (round(where, all, Integer.MAX_VALUE, 1 + random.nextInt(3))) {
                // A round with something to do is followed by another one.
            }
        }
        Set<GroupKey> lanes = new HashSet<>();
        waiting.values().forEach(row -> lanes.add(row.lane()));
        Map<GroupKey, Integer> overlooked = new HashMap<>();
        for (GroupKey lane : lanes)
            if (count(lane) <= inOrder(lane).get(0).task().beside()) overlooked.put(lane, count(lane));
        assertThat(overlooked)
                .as("%s: lanes with a task that could start", where)
                .isEmpty();
    }

    private List<Row> inOrder(GroupKey lane) {
        return waiting.values().stream()
                .filter(row -> row.lane().equals(lane))
                .sorted(Comparator.comparingInt(
                                (Row row) -> -Math.max(row.task().max(), 0))
                        .thenComparingLong(row -> row.task().id()))
                .toList();
    }

    private int count(GroupKey lane) {
        return (int) running.values().stream().filter(lane::equals).count();
    }
}
