package dev.howdah.task.internal.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Turns, and which session may go on with a task. */
class WaitingTaskTest {
    private static WaitingTask candidate(long id, int max) {
        return new WaitingTask(id, 0, max, 0, 0);
    }

    @Test
    void order_largestMaxThenSmallestId() {
        TreeSet<WaitingTask> sorted = new TreeSet<>();
        sorted.add(candidate(1, 0));
        sorted.add(candidate(2, -7)); // negative counts as 0
        sorted.add(candidate(3, 5));
        sorted.add(candidate(4, Integer.MAX_VALUE));
        sorted.add(candidate(5, 5));
        sorted.add(candidate(6, Integer.MIN_VALUE));
        assertThat(sorted).extracting(WaitingTask::id).containsExactly(4L, 3L, 5L, 1L, 2L, 6L);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "3, 3", "-1, 0", "-2147483648, 0", "2147483647, 2147483647"})
    void beside_negativeMax_isNone(int max, int beside) {
        assertThat(candidate(1, max).beside()).isEqualTo(beside);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 1, 0.0, false",
        "1, 0, 1, 0.0, false",
        "2, 0, 1, 99.0, true",
        "2, 0, 2, 0.0, false",
        "0, 5, 1, 4.9, true",
        "0, 5, 99, 5.0, false",
        "3, 5, 2, 4.9, true",
        "3, 5, 3, 4.9, false",
        "3, 5, 2, 5.0, false",
        "0, Infinity, 99, 1e9, true"
    })
    void mayContinue_countAndLive_decide(int count, double live, int done, double age, boolean expected) {
        assertThat(new WaitingTask(1, 0, 0, count, live).mayContinue(done, age)).isEqualTo(expected);
    }
}
