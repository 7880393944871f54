package dev.howdah.task.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.task.internal.model.GroupKey;
import dev.howdah.task.internal.model.WaitingTask;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Section 5: lanes that compete, tasks that are left alone for a moment. */
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
        assertThat(backlog.ready()).extracting(lane -> lane.key.group()).containsExactly("c", "b", "a");
    }

    @Test
    void saw_expiredAndRunningTasks_areLeftOut() {
        running.add(2L);
        backlog.saw(all(seen("a", 1, 0, 0), seen("b", 2, 0, 9), seen("c", 3, 0, 0.001)));
        assertThat(backlog.ready()).extracting(lane -> lane.key.group()).containsExactly("c");
    }

    @Test
    void saw_partOfALaneThatIsNotKnown_asksTheTable() {
        backlog.saw(new ScanResult(List.of(seen("a", 9, 0, 9)), ScanResult.Reach.SOME, null, false, false, 0));
        assertThat(backlog.ready()).hasSize(1).allMatch(GroupQueue::needsPeek);
    }

    @Test
    void saw_nothingLeft_emptiesTheLanes() {
        backlog.saw(all(seen("a", 1, 0, 9)));
        backlog.saw(all());
        GroupQueue lane = backlog.ready().get(0);
        assertThat(lane.startable()).isNull();
        backlog.settled(lane);
        assertThat(backlog.ready()).isEmpty();
        assertThat(backlog.lane(lane.key, 1)).isNotSameAs(lane); // forgotten, as nothing runs in it
    }

    @Test
    void shun_task_isNotSeenForAMoment() {
        WaitingTask task = seen("a", 1, 0, 9).task();
        assertThat(backlog.nextTry()).isNull();
        backlog.shun(task);
        backlog.saw(all(seen("a", 1, 0, 9), seen("a", 2, 0, 9)));
        assertThat(backlog.ready().get(0).startable())
                .extracting(WaitingTask::id)
                .isEqualTo(2L);
        assertThat(backlog.nextTry()).isBetween(Duration.ZERO, Duration.ofMillis(250));
    }
}
