package dev.howdah.console.internal.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.job.query.JobState;
import dev.howdah.task.TaskState;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A state is an icon, a word and its own name, and never a colour alone. */
class StateBadgeTest {
    static Stream<Enum<?>> states() {
        return Stream.concat(Arrays.stream(TaskState.values()), Arrays.stream(JobState.values()));
    }

    @ParameterizedTest
    @MethodSource("states")
    void state_hasAnIconAWordAndATone(Enum<?> state) {
        StateBadge badge = StateBadge.of(state);
        assertThat(badge.own()).isEqualTo(state.name());
        assertThat(badge.word()).isNotBlank();
        assertThat(badge.icon()).hasSize(1);
        assertThat(badge.tone()).isIn(Set.of("wait", "run", "done", "retry", "fail", "pause"));
    }

    @Test
    void states_thatDiffer_haveOutlinesOfTheirOwn() {
        assertThat(Stream.of(
                                TaskState.PLAN,
                                TaskState.WORK,
                                TaskState.DONE,
                                TaskState.FAIL,
                                TaskState.GONE,
                                TaskState.STOP)
                        .map(each -> StateBadge.of(each).icon()))
                .doesNotHaveDuplicates();
    }
}
