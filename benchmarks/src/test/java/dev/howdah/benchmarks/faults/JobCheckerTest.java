package dev.howdah.benchmarks.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.benchmarks.faults.JobHistory.Run;
import dev.howdah.benchmarks.faults.NodeProgram.Order;
import dev.howdah.job.CancelResult;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each promise of jobs, broken in a history: the checkers see it. Each kept one they leave alone. */
class JobCheckerTest {
    private static final long UNKNOWN = Long.MAX_VALUE;

    private final JobHistory history = new JobHistory();
    private final Asked asked = new Asked();

    private List<String> complaints() {
        List<String> complaints = new ArrayList<>();
        new JobChecker(history, List.of(asked), complaints).check();
        new GroupChecker(history, List.of(asked), complaints).check();
        return complaints;
    }

    /** A job that was added, of number n and 100 + n. */
    private void add(long n, String queue, String group) {
        add(n, queue, group, false);
    }

    private void add(long n, String queue, String group, boolean commits) {
        asked.order(new Order(n, 0, false, false, 0, commits, false, queue, group));
        asked.added(n, 100 + n);
    }

    /** A run of it in a batch, and the letter of that. */
    private void run(long n, long batch, char letter, long began, long ended) {
        history.add(new Run(n, 100 + n, batch, 1, began, ended));
        history.add(100 + n, batch, letter);
    }

    @Test
    void history_ofPromisesKept_isFine() {
        add(1, "default", "");
        run(1, 10, 'r', 0, 5);
        run(1, 11, 'm', 6, 9);
        history.add(101, 12, 'd');
        add(2, "default", "unique a");
        run(2, 13, 'd', 0, 5);
        add(3, "default", "unique a");
        run(3, 14, 'd', 5, 9);
        add(4, "default", "order a");
        run(4, 15, 'x', 0, UNKNOWN);
        run(4, 16, 'd', 20, 25);
        add(5, "default", "order a");
        run(5, 17, 'd', 25, 29);
        add(6, "default", "");
        asked.cancelled(6, CancelResult.CANCELLED, 3);
        history.addFailure(106, "cancelled: before it began");
        add(7, "default", "", true);
        run(7, 18, 'd', 0, 5);
        history.addEffects(7, 1);
        for (int n = 8; n < 8 + NodeProgram.NARROW_MOST; n++) {
            add(n, NodeProgram.NARROW, "");
            run(n, 20 + n, 'd', 0, 5);
        }
        assertThat(complaints()).isEmpty();
    }

    @Test
    void job_doneTwiceOrNever_isSeen() {
        add(1, "default", "");
        run(1, 10, 'd', 0, 5);
        run(1, 11, 'd', 6, 9);
        add(2, "default", "");
        assertThat(complaints())
                .hasSize(2)
                .anyMatch(each -> each.startsWith("job 1 (101) has 2 accepted ends"))
                .anyMatch(each -> each.startsWith("job 2 (102) has 0 accepted ends"));
    }

    @Test
    void job_rolledBackOrRefused_thatHasRun_isSeen() {
        for (Asked.Fate fate : List.of(Asked.Fate.ROLLED_BACK, Asked.Fate.REFUSED)) {
            add(fate.ordinal(), "default", "");
            asked.fate(fate.ordinal(), fate);
            run(fate.ordinal(), 10 + fate.ordinal(), 'd', 0, 5);
        }
        assertThat(complaints()).hasSize(2).allMatch(each -> each.endsWith("and has run"));
    }

    @Test
    void job_twiceAtOnce_isSeenUnlessItsNodeWasTakenForDead() {
        add(1, "default", "");
        run(1, 10, 'r', 0, 7);
        run(1, 11, 'd', 6, 9);
        add(2, "default", "");
        run(2, 12, 'x', 0, 7);
        run(2, 13, 'd', 6, 9);
        assertThat(complaints()).hasSize(1).allMatch(each -> each.startsWith("job 1 ran twice at once"));
    }

    @Test
    void effect_thatIsMissingOrToo_isSeen() {
        add(1, "default", "", true);
        run(1, 10, 'd', 0, 5);
        add(2, "default", "", true);
        run(2, 11, 'd', 0, 5);
        history.addEffects(2, 2);
        assertThat(complaints())
                .containsExactly("job 1 (101) took effect 0 times, done 1", "job 2 (102) took effect 2 times, done 1");
    }

    @Test
    void cancelledJob_thatIsDoneOrBegins_isSeen_andOneThatNobodyCancelled() {
        add(1, "default", "");
        asked.cancelled(1, CancelResult.CANCELLED, 3);
        run(1, 10, 'd', 4, 5);
        add(2, "default", "");
        history.addFailure(102, "cancelled: by nobody");
        assertThat(complaints())
                .containsExactly(
                        "job 1 (101) was cancelled and is not",
                        "job 1 (101) has begun after it was cancelled",
                        "job 2 (102) was cancelled without a request");
    }

    @Test
    void keys_twoAtOnce_areSeen() {
        add(1, "default", "unique a");
        run(1, 10, 'd', 0, 5);
        add(2, "default", "unique a");
        run(2, 11, 'd', 4, 9);
        assertThat(complaints()).hasSize(1).allMatch(each -> each.startsWith("of unique a two ran at once"));
    }

    @Test
    void newestVersion_notDone_isSeen() {
        add(1, "default", "version a");
        run(1, 10, 'd', 0, 5);
        add(2, "default", "version a");
        history.add(102, 11, 'x');
        history.addFailure(102, "cancelled: a newer version took its place");
        assertThat(complaints()).containsExactly("of version a the newest, 2, was not done");
    }

    @Test
    void order_overtaken_isSeen() {
        add(1, "default", "order a");
        run(1, 10, 'd', 5, 9);
        add(2, "default", "order a");
        run(2, 11, 'd', 0, 4);
        assertThat(complaints()).hasSize(1).allMatch(each -> each.contains("overtook"));
    }

    @Test
    void limit_exceeded_isSeen() {
        for (int n = 0; n <= NodeProgram.NARROW_MOST; n++) {
            add(n, NodeProgram.NARROW, "");
            run(n, 20 + n, 'd', n, 100);
        }
        assertThat(complaints()).containsExactly("of queue narrow 5 ran at once, 4 may");
    }

    @Test
    void rate_exceeded_isSeen() {
        long second = 1_000_000_000;
        for (int n = 0; n <= NodeProgram.PACED_MOST; n++) {
            add(n, NodeProgram.PACED, "");
            run(n, 20 + n, 'd', n, 100);
        }
        for (int n = 100; n < 100 + 2 * NodeProgram.PACED_MOST; n++) {
            add(n, NodeProgram.PACED, "");
            run(n, 20 + n, 'd', (n < 100 + NodeProgram.PACED_MOST ? 10 : 11) * second, 12 * second);
        }
        assertThat(complaints()).containsExactly("of queue paced 21 began within PT1S, 20 may");
    }
}
