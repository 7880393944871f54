package dev.howdah.task.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.task.internal.model.GroupKey;
import dev.howdah.task.internal.model.WaitingTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Lanes that compete, tasks that are left alone for a moment. */
class WaitingTasksTest {
    private final Set<Long> running = new HashSet<>();
    private final WaitingTasks backlog = new WaitingTasks(running::contains);

    private static DueTask seen(String group, long id, int max, double expires) {
        return new DueTask(new GroupKey(group, null), new WaitingTask(id, 1, max, 0, 0), expires, null, false);
    }

    private static ScanResult all(DueTask... seen) {
        return new ScanResult(List.of(seen), ScanResult.Reach.ALL, null, false, false, 0);
    }

    @Test
    void ready_lanes_mostRoomThenOldestTask() {
        backlog.saw(all(seen("a", 1, 0, 9), seen("b", 3, 4, 9), seen("c", 2, 4, 9)));
        assertThat(backlog.ready(9)).extracting(lane -> lane.key.group()).containsExactly("c", "b", "a");
    }

    @Test
    void saw_expiredAndRunningTasks_areLeftOut() {
        running.add(2L);
        backlog.saw(all(seen("a", 1, 0, 0), seen("b", 2, 0, 9), seen("c", 3, 0, 0.001)));
        assertThat(backlog.ready(9)).extracting(lane -> lane.key.group()).containsExactly("c");
    }

    @Test
    void saw_partOfALaneThatIsNotKnown_asksTheTable() {
        backlog.saw(new ScanResult(List.of(seen("a", 9, 0, 9)), ScanResult.Reach.SOME, null, false, false, 0));
        assertThat(backlog.ready(9)).hasSize(1).allMatch(GroupQueue::needsPeek);
    }

    @Test
    void saw_nothingLeft_emptiesTheLanes() {
        backlog.saw(all(seen("a", 1, 0, 9)));
        backlog.saw(all());
        GroupQueue lane = backlog.ready(9).get(0);
        assertThat(lane.startable()).isNull();
        backlog.considered(lane);
        assertThat(backlog.ready(9)).isEmpty();
        assertThat(backlog.lane(lane.key, 1)).isNotSameAs(lane); // forgotten, as nothing runs in it
    }

    /** A hundred thousand groups that wait cost a round what the sessions do that it has. */
    @Test
    void ready_manyGroupsThatWait_areConsideredAFewAtATime_inTheirOrder() {
        backlog.saw(all(LongStream.rangeClosed(1, 1_000)
                .mapToObj(id -> seen("g" + id, id, id == 700 ? 5 : 0, 9))
                .toArray(DueTask[]::new)));
        List<GroupQueue> first = backlog.ready(3);
        assertThat(first).hasSize(1_000);
        first.forEach(backlog::considered);
        assertThat(groups(backlog.ready(3))).containsExactly("g700", "g1", "g2");
        // Of one that starts, and of one that is taken up again.
        GroupQueue started = backlog.lane(new GroupKey("g1", null), 1);
        started.forget(seen("g1", 1, 0, 9).task());
        started.started();
        backlog.ready(0).forEach(backlog::considered);
        assertThat(groups(backlog.ready(3))).containsExactly("g700", "g2", "g3");
        backlog.ready(0).forEach(backlog::considered);
        backlog.touched(backlog.lane(new GroupKey("g900", null), 1));
        assertThat(groups(backlog.ready(2))).containsExactly("g700", "g2", "g900");
    }

    /** None of them has to wait for all groups of another owner to be looked at. */
    @Test
    void ready_groupsOfEachOwner_areConsidered() {
        List<DueTask> all = new ArrayList<>();
        for (long id = 1; id <= 100; id++)
            all.add(new DueTask(
                    new GroupKey("g" + id, null),
                    new WaitingTask(id, 1, 0, 0, 0, id == 100 ? "late" : "early", ""),
                    9,
                    null,
                    false));
        backlog.saw(all(all.toArray(DueTask[]::new)));
        backlog.ready(2).forEach(backlog::considered);
        assertThat(groups(backlog.ready(2))).containsExactly("g1", "g2", "g100");
    }

    /** A row that was moved to another group is the first of both for a moment. */
    @Test
    void ready_groupsWithTheSameFirstTask_areBothConsidered() {
        backlog.saw(all(seen("a", 1, 0, 9)));
        backlog.saw(new ScanResult(List.of(seen("b", 1, 0, 9)), ScanResult.Reach.NEW, null, false, false, 0));
        backlog.peeked(
                List.of(backlog.lane(new GroupKey("b", null), 1)),
                new GroupPeek.Answer(List.of(seen("b", 1, 0, 9)), 5, false));
        backlog.ready(9).forEach(backlog::considered);
        assertThat(groups(backlog.ready(9))).containsExactlyInAnyOrder("a", "b");
    }

    private static List<String> groups(List<GroupQueue> lanes) {
        return lanes.stream().map(lane -> String.valueOf(lane.key.group())).toList();
    }

    @Test
    void shun_task_isNotSeenForAMoment() {
        WaitingTask task = seen("a", 1, 0, 9).task();
        assertThat(backlog.nextTry()).isNull();
        backlog.shun(task);
        backlog.saw(all(seen("a", 1, 0, 9), seen("a", 2, 0, 9)));
        assertThat(backlog.ready(9).get(0).startable())
                .extracting(WaitingTask::id)
                .isEqualTo(2L);
        assertThat(backlog.nextTry()).isBetween(Duration.ZERO, Duration.ofMillis(250));
    }
}
