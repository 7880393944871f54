package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.task.internal.model.WaitingTask;
import dev.howdah.task.internal.queue.WaitingTasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A row that could not be claimed is tried again, even when nobody rings. */
class PassedOverFaultTest {
    @Test
    void nextTry_timeOfPassedOverTaskIsUp_isNowAndOnlyOnce() {
        WaitingTasks backlog = new WaitingTasks(id -> false);
        backlog.shun(new WaitingTask(1, 1, 0, 0, 0));
        List<@Nullable Duration> answers = new ArrayList<>();
        Scheduled.awaiting("nothing left to try").until(() -> {
            answers.add(backlog.nextTry());
            return answers.get(answers.size() - 1) == null;
        });
        assertThat(answers).hasSizeGreaterThan(1);
        assertThat(answers.get(answers.size() - 2)).isEqualTo(Duration.ZERO);
    }
}
