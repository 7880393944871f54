package dev.howdah.benchmarks.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.benchmarks.faults.ProcessHistory.Run;
import dev.howdah.benchmarks.faults.ProcessHistory.Told;
import dev.howdah.benchmarks.faults.ProcessHistory.Written;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each promise of processes, broken in a history: the checker sees it. Each kept one it leaves alone. */
class ProcessCheckerTest {
    private static final String ONCE = "once/a";
    private static final String AGAIN = "again/a";
    private static final String TICK = "tick/a";
    private static final long NEVER = Long.MAX_VALUE;

    private final Map<String, List<Written>> events = new LinkedHashMap<>();
    private final List<Run> runs = new ArrayList<>();
    private final List<Told> told = new ArrayList<>();

    private ProcessChecker checker(List<String> complaints) {
        return new ProcessChecker(new ProcessHistory(events, runs, told), complaints);
    }

    private List<String> complaints() {
        List<String> complaints = new ArrayList<>();
        checker(complaints).check();
        return complaints;
    }

    private List<Written> history(String process) {
        return events.computeIfAbsent(process, key -> new ArrayList<>());
    }

    private void written(String process, long n) {
        List<Written> history = history(process);
        history.add(new Written(history.size() + 1L, n, history.size() * 1_000_000L));
    }

    private void ran(String process, long n, long began, long ended) {
        runs.add(new Run(process, n, 1, began, ended));
    }

    private void told(String process, long n, String reason) {
        told.add(new Told(process, n, reason));
    }

    private void done(String process, long n, long began) {
        ran(process, n, began, began + 5);
        written(process, n);
        if (n > 0) told(process, n, "");
    }

    @Test
    void history_ofPromisesKept_isFine() {
        done(ONCE, 1, 0);
        ran(ONCE, 2, 10, NEVER);
        told(ONCE, 2, "zombie detected");
        told(ONCE, 3, "process is error");
        done(ONCE, 4, 20);
        ran(AGAIN, 5, 0, NEVER);
        done(AGAIN, 5, 10);
        // A frozen node ended after others had gone on; nothing of that is written.
        ran(AGAIN, 6, 20, 90);
        done(AGAIN, 6, 40);
        done(TICK, 7, 0);
        done(TICK, -11, 10);
        done(TICK, -14, 20);
        assertThat(complaints()).isEmpty();
    }

    @Test
    void step_lost_isSeen() {
        ran(AGAIN, 1, 0, 5);
        told(AGAIN, 1, "");
        assertThat(complaints()).containsExactly("again/a 1 was answered and is not written");
    }

    @Test
    void step_committedTwice_isSeen() {
        done(AGAIN, 1, 0);
        written(AGAIN, 1);
        assertThat(complaints()).containsExactly("step 1 is written twice: in again/a and again/a");
    }

    @Test
    void history_withAGap_isSeen() {
        done(AGAIN, 1, 0);
        ran(AGAIN, 2, 10, 15);
        told(AGAIN, 2, "");
        history(AGAIN).add(new Written(3, 2, 0));
        assertThat(complaints()).containsExactly("process again/a: after event 1 comes 3");
    }

    @Test
    void step_thatNoProcessorHasEnded_isSeen() {
        ran(AGAIN, 1, 0, NEVER);
        written(AGAIN, 1);
        told(AGAIN, 1, "");
        assertThat(complaints()).containsExactly("step 1 of again/a is written, and no processor has ended it");
    }

    @Test
    void timers_outOfTheirOrder_areSeen() {
        done(TICK, -14, 0);
        done(TICK, -11, 10);
        assertThat(complaints()).containsExactly("process tick/a: timer 11 after 14");
    }

    @Test
    void callers_toldWhatIsNotSo_areSeen() {
        ran(ONCE, 1, 0, 5);
        written(ONCE, 1);
        told(ONCE, 1, "zombie detected");
        ran(AGAIN, 2, 0, NEVER);
        told(AGAIN, 2, "zombie detected");
        ran(ONCE, 3, 10, NEVER);
        told(ONCE, 3, "process is error");
        told(ONCE, 4, "timeout");
        assertThat(complaints())
                .containsExactly(
                        "once/a 1 is written and its caller was told that it is not",
                        "again/a 2 should have run again",
                        "once/a 3 was refused and has run",
                        "once/a 4 was told: timeout");
    }

    @Test
    void caller_toldNothing_isSeen() {
        ran(AGAIN, 1, 0, 5);
        written(AGAIN, 1);
        assertThat(complaints()).containsExactly("step 1 of again/a: its caller was told nothing");
    }

    @Test
    void step_thatMustNotRunAgain_isSeen() {
        ran(ONCE, 1, 0, NEVER);
        done(ONCE, 1, 10);
        assertThat(complaints()).containsExactly("once/a 1 has run 2 times and must not run again");
    }

    @Test
    void steps_together_areSeen() {
        ran(AGAIN, 1, 0, 12);
        written(AGAIN, 1);
        told(AGAIN, 1, "");
        done(AGAIN, 2, 10);
        assertThat(complaints()).containsExactly("steps 1 and 2 of again/a ran together");
    }

    @Test
    void gap_thatIsNotExcused_isTheLongest() {
        for (int i = 0; i < 3; i++) done(TICK, -i - 1, i * 10L);
        history(TICK).set(2, new Written(3, -3, 9_000_000));
        assertThat(checker(new ArrayList<>()).longestGap(List.of())).isEqualTo(8_000);
        assertThat(checker(new ArrayList<>()).longestGap(List.of(new long[] {5_000_000, 6_000_000})))
                .isEqualTo(1_000);
    }
}
