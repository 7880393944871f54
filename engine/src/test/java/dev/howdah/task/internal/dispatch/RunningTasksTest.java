package dev.howdah.task.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.task.TaskState;
import dev.howdah.task.internal.model.ClaimedTask;
import dev.howdah.task.internal.model.GroupKey;
import dev.howdah.task.internal.model.SessionResult;
import dev.howdah.task.internal.model.TaskResult;
import dev.howdah.task.internal.model.WaitingTask;
import dev.howdah.task.internal.output.ErrorFormatter;
import dev.howdah.task.internal.queue.GroupQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What becomes of tasks that end, fail to begin, or lose their session. */
class RunningTasksTest {
    private final RunningTasks running = new RunningTasks();
    private final GroupQueue local = new GroupQueue(new GroupKey("g", null), 1);
    private final GroupQueue remote = new GroupQueue(new GroupKey("g", "r"), 2);

    private static ClaimedTask task(long id, int max, boolean repeats) {
        return new ClaimedTask(
                id,
                new GroupKey("g", null),
                "",
                max,
                0,
                0,
                0,
                false,
                true,
                true,
                9,
                0,
                0,
                "\\N",
                repeats,
                false,
                false,
                0,
                null,
                0);
    }

    private static SessionResult end(long id, boolean cancelled) {
        return new SessionResult(new TaskResult(id, TaskState.DONE, 1L, "x", null), true, cancelled, false, null);
    }

    private static SessionResult lost(boolean begun, @Nullable String detail) {
        return new SessionResult(null, begun, false, false, detail);
    }

    @Test
    void took_tasks_areCountedOnce() {
        running.took(1, local);
        running.took(2, remote);
        running.took(2, remote);
        assertThat(running.size()).isEqualTo(2);
        assertThat(running.remote()).isEqualTo(1);
        assertThat(running.contains(2)).isTrue();
        assertThat(running.ids()).containsExactlyInAnyOrder(1L, 2L);
    }

    @Test
    void ended_ordinaryTask_isWrittenWithOthers() {
        running.took(1, local);
        assertThat(running.ended(task(1, 0, false), end(1, false), false)).isSameAs(local);
        assertThat(running.takeEnds()).extracting(TaskResult::id).containsExactly(1L);
        assertThat(running.takeEnds()).isEmpty();
        assertThat(running.size()).isZero();
    }

    @Test
    void ended_taskThatRepeatsOrPauses_isWrittenAlone() {
        running.took(1, local);
        running.took(2, local);
        running.ended(task(1, -1, false), end(1, false), false);
        running.ended(task(2, 0, true), end(2, false), false);
        assertThat(running.takeEnds()).isEmpty();
        assertThat(running.takeEndsAlone()).extracting(TaskResult::id).containsExactly(1L, 2L);
    }

    @Test
    void ended_cancelledWhileStopping_runsAgain() {
        running.took(1, local);
        running.took(2, local);
        running.ended(task(1, 0, false), end(1, true), true);
        running.ended(task(2, 0, false), end(2, false), true);
        assertThat(running.takeReturned()).containsExactly(1L);
        assertThat(running.takeEnds()).extracting(TaskResult::id).containsExactly(2L);
    }

    @Test
    void ended_sessionLostThreeTimes_failsTheTask() {
        for (int time = 1; time <= 2; time++) {
            running.took(1, local);
            running.ended(task(1, 0, false), lost(true, "FATAL:  gone"), false);
            assertThat(running.takeReturned()).containsExactly(1L);
        }
        running.took(1, local);
        running.ended(task(1, 0, false), lost(true, "FATAL:  gone"), false);
        assertThat(running.takeReturned()).isEmpty();
        assertThat(running.takeEnds())
                .containsExactly(new TaskResult(
                        1,
                        TaskState.FAIL,
                        null,
                        "",
                        "FATAL:  gone\nDETAIL:  The session of this task was lost 3 times in a row."));
    }

    @Test
    void ended_lossesBeforeItBegan_doNotCount() {
        for (int time = 1; time <= 5; time++) {
            running.took(1, local);
            running.ended(task(1, 0, false), lost(false, null), false);
        }
        assertThat(running.takeReturned()).hasSize(5);
        assertThat(running.takeEnds()).isEmpty();
    }

    @Test
    void ended_afterALoss_countsFromTheStartAgain() {
        for (int time = 1; time <= 3; time++) {
            running.took(1, local);
            running.ended(task(1, 0, false), lost(true, null), false);
            running.took(1, local);
            running.ended(task(1, 0, false), end(1, false), false);
        }
        assertThat(running.takeEnds()).extracting(TaskResult::state).containsOnly(TaskState.DONE);
    }

    @Test
    void failedToConnect_task_fails() {
        running.took(1, remote);
        running.failedToBegin(1, ErrorFormatter.plain("could not connect", "no route"));
        assertThat(running.takeEndsAlone())
                .containsExactly(
                        new TaskResult(1, TaskState.FAIL, null, "", "ERROR:  could not connect\nDETAIL:  no route"));
        assertThat(running.remote()).isZero();
    }

    @Test
    void ids_endsThatCouldNotBeWritten_areStillOurs() {
        running.unwritten().add(new TaskResult(7, TaskState.DONE, null, null, null));
        assertThat(running.ids()).containsExactly(7L);
        assertThat(running.unwritten().get(0).isEmpty()).isTrue();
    }

    @Test
    void gaveUp_taskThatDoesNotRun_isAnError() {
        assertThatThrownBy(() -> running.gaveUp(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("1");
    }

    @Test
    void ended_shortTaskOfLaneThatGoesOn_isHeldUntilAnotherEndsThatDoesNot() {
        local.took(1_000_000);
        local.joined(new WaitingTask(9, 1, 1, 0, 0));
        running.took(1, local);
        running.ended(task(1, 0, false), end(1, false), false);
        assertThat(running.takeEnds()).isEmpty();
        assertThat(running.shortEnds().isEmpty()).isFalse();
        assertThat(running.shortEnds().nanosToHold()).isLessThanOrEqualTo(3_000_000);
        // Until its row says so it is ours: nobody may give it back, or take it for an earlier scheduler's.
        assertThat(running.contains(1)).isFalse();
        assertThat(running.isOurs(1)).isTrue();
        assertThat(running.ids()).containsExactly(1L);
        local.forget(new WaitingTask(9, 1, 1, 0, 0));
        running.took(2, local);
        running.ended(task(2, 0, false), end(2, false), false);
        assertThat(running.shortEnds().nanosToHold()).isZero();
        assertThat(running.shortEnds().takeDue()).extracting(TaskResult::id).containsExactly(1L, 2L);
        assertThat(running.isOurs(1)).isFalse();
        assertThat(running.ids()).isEmpty();
    }

    @Test
    void ended_afterLongTask_isNotHeld() {
        local.took(6_000_000);
        local.joined(new WaitingTask(9, 1, 1, 0, 0));
        running.took(1, local);
        running.ended(task(1, 0, false), end(1, false), false);
        assertThat(running.ids()).containsExactly(1L);
        assertThat(running.takeAllEnds()).extracting(TaskResult::id).containsExactly(1L);
    }
}
