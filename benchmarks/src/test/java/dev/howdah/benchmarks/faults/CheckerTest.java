package dev.howdah.benchmarks.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.benchmarks.faults.History.Change;
import dev.howdah.benchmarks.faults.History.Row;
import dev.howdah.benchmarks.faults.History.Run;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The checker is silent about what is right, and complains about each thing that is wrong. */
class CheckerTest {
    private final List<Change> changes = new ArrayList<>();
    private final List<Run> runs = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();
    private final Set<Long> acknowledged = new HashSet<>();

    private List<String> complaints() {
        return findings().complaints();
    }

    private Checker.Findings findings() {
        return Checker.check(new History(changes, runs, rows, acknowledged), error -> error.equals("excused"));
    }

    private void inserted(long id, String label, int max, @Nullable Long parent, long plan) {
        changes.add(new Change(id * 1000, id, null, "PLAN", label, "lane", max, parent, plan, 100));
        acknowledged.add(id);
    }

    private void inserted(long id, String label) {
        inserted(id, label, 0, null, 0);
    }

    private void changed(long id, long at, String before, @Nullable String after) {
        changes.add(new Change(at, id, before, after, null, null, 0, null, 0, 0));
    }

    private void ran(long id, long began, @Nullable Long ended) {
        runs.add(new Run(id, 5, began, ended, false, 0, true));
    }

    private void row(long id, String state, @Nullable String error, String label, long start, long stop) {
        rows.add(new Row(id, state, error, label, start, stop, 5));
    }

    /** A task without blemish, from {@code id * 1000} to {@code id * 1000 + 400}. */
    private void good(long id, String label) {
        inserted(id, label);
        goodEnd(id, label);
    }

    private void goodEnd(long id, String label) {
        long at = id * 1000;
        changed(id, at + 100, "PLAN", "WORK");
        ran(id, at + 200, at + 300);
        changed(id, at + 400, "WORK", "DONE");
        row(id, "DONE", null, label, at + 100, at + 350);
    }

    @Test
    void goodHistory_isAccepted() {
        good(1, "plain");
        good(2, "once");
        inserted(3, "fails");
        changed(3, 3100, "PLAN", "TAKE");
        changed(3, 3150, "TAKE", "WORK");
        ran(3, 3200, null);
        changed(3, 3400, "WORK", "FAIL");
        row(3, "FAIL", "ERROR", "fails", 3150, 3300);
        inserted(4, "expires");
        changed(4, 4100, "PLAN", "GONE");
        row(4, "GONE", "ERROR", "expires", 4100, 4100);
        good(5, "repeat 1");
        inserted(6, "repeat 1", 0, 5L, 300);
        goodEnd(6, "repeat 1");
        good(7, "adds");
        inserted(8, "added", 0, 7L, 0);
        goodEnd(8, "added");
        assertThat(complaints()).isEmpty();
        assertThat(findings().counts())
                .containsEntry("tasks", 8L)
                .containsEntry("runs", 7L)
                .containsEntry("repeats", 1L)
                .containsEntry("once", 1L);
    }

    @Test
    void taskThatRanAgainAfterALoss_isAccepted() {
        inserted(1, "plain");
        changed(1, 1100, "PLAN", "WORK");
        ran(1, 1200, 1300L);
        changed(1, 1400, "WORK", "PLAN");
        changed(1, 1500, "PLAN", "WORK");
        ran(1, 1600, 1700L);
        changed(1, 1800, "WORK", "DONE");
        row(1, "DONE", null, "plain", 1500, 1750);
        assertThat(complaints()).isEmpty();
        assertThat(findings().counts()).containsEntry("run_again", 1L);
    }

    @Test
    void taskWithoutFinalState_isNamed() {
        inserted(1, "plain");
        changed(1, 1100, "PLAN", "WORK");
        rows.add(new Row(1, "WORK", null, "plain", 1100L, null, 5));
        assertThat(complaints()).containsExactly("task 1 (plain): has no final state but WORK");
    }

    @Test
    void acknowledgedTask_thatIsNotThere_isLost() {
        acknowledged.add(9L);
        assertThat(complaints()).containsExactly("task 9 was acknowledged and is lost");
    }

    @Test
    void rowThatVanished_isNamed() {
        good(1, "plain");
        rows.clear();
        assertThat(complaints()).containsExactly("task 1 (plain): is gone and its history says DONE");
    }

    @Test
    void changeAfterTheEnd_isNamed() {
        good(1, "plain");
        changed(1, 1500, "DONE", "FAIL");
        rows.clear();
        row(1, "FAIL", "late", "plain", 1100, 1500);
        assertThat(complaints()).contains("task 1 (plain): DONE to FAIL");
    }

    @Test
    void changeThatDoesNotFollow_isNamed() {
        good(1, "plain");
        changes.remove(1);
        assertThat(complaints()).contains("task 1 (plain): was PLAN and then WORK");
    }

    @Test
    void taskTwiceAtOnce_isNamed() {
        inserted(1, "plain", 5, null, 0);
        changed(1, 1100, "PLAN", "WORK");
        ran(1, 1200, 1700L);
        changed(1, 1400, "WORK", "PLAN");
        changed(1, 1500, "PLAN", "WORK");
        ran(1, 1600, 1800L);
        changed(1, 1900, "WORK", "DONE");
        row(1, "DONE", null, "plain", 1500, 1850);
        assertThat(complaints()).containsExactly("task 1 (plain): began again before it had ended");
    }

    @Test
    void twinSeenByTheServer_isNamed() {
        good(1, "plain");
        runs.set(0, new Run(1, 5, 1200, 1300L, true, 0, true));
        assertThat(complaints()).containsExactly("task 1 (plain): the server saw it running twice at the same time");
    }

    @Test
    void runThatNobodyStarted_isNamed() {
        good(1, "plain");
        runs.add(0, new Run(1, 5, 1150, 1160L, false, 0, true));
        assertThat(complaints()).containsExactly("task 1 (plain): ran 2 times and was started 1 times");
    }

    @Test
    void doneWithoutWork_isNamed() {
        good(1, "plain");
        runs.clear();
        assertThat(complaints()).containsExactly("task 1 (plain): is DONE and has not done its work");
    }

    @Test
    void goneAfterItsWork_isNamedUnlessItWasGivenBack() {
        inserted(1, "expires");
        ran(1, 1200, 1300L);
        changed(1, 1100, "PLAN", "WORK");
        changed(1, 1400, "WORK", "PLAN");
        changed(1, 1500, "PLAN", "GONE");
        row(1, "GONE", "ERROR", "expires", 1500, 1500);
        assertThat(complaints()).isEmpty();
        changes.remove(2);
        assertThat(complaints()).contains("task 1 (expires): has worked and is GONE");
    }

    @Test
    void wrongEnd_isNamedUnlessExcused() {
        inserted(1, "plain");
        changed(1, 1100, "PLAN", "WORK");
        changed(1, 1200, "WORK", "FAIL");
        row(1, "FAIL", "could not start", "plain", 1100, 1200);
        assertThat(complaints()).containsExactly("task 1 (plain): is FAIL: could not start");
        rows.clear();
        row(1, "FAIL", "excused", "plain", 1100, 1200);
        assertThat(complaints()).isEmpty();
        assertThat(findings().counts()).containsEntry("excused", 1L);
    }

    @Test
    void onceThatTookEffectTwiceOrNever_isNamed() {
        good(1, "once");
        runs.add(0, new Run(1, 5, 1110, 1120L, false, 0, false));
        changes.add(2, new Change(1125, 1, "WORK", "PLAN", null, null, 0, null, 0, 0));
        changes.add(3, new Change(1126, 1, "PLAN", "WORK", null, null, 0, null, 0, 0));
        assertThat(complaints()).containsExactly("task 1 (once): is DONE and took effect 2 times");
        inserted(2, "once fails");
        changed(2, 2100, "PLAN", "WORK");
        ran(2, 2200, 2300L);
        changed(2, 2400, "WORK", "FAIL");
        row(2, "FAIL", "ERROR", "once fails", 2100, 2350);
        assertThat(complaints()).contains("task 2 (once fails): is FAIL and took effect 1 times");
    }

    @Test
    void rowThatSpeaksOfAnotherRun_isNamed() {
        good(1, "plain");
        rows.set(0, new Row(1, "DONE", null, "plain", 1250L, 1290L, 6));
        assertThat(complaints())
                .containsExactly(
                        "task 1 (plain): stopped before its work had ended",
                        "task 1 (plain): started after its work had begun",
                        "task 1 (plain): says process 6 ran it, it was 5");
    }

    @Test
    void startBeforeItsPlan_isNamed() {
        inserted(1, "later", 0, null, 1101);
        goodEnd(1, "later");
        assertThat(complaints()).containsExactly("task 1 (later): began before its plan");
    }

    @Test
    void groupBeyondItsLimit_isNamed() {
        inserted(1, "plain");
        changed(1, 1100, "PLAN", "WORK");
        ran(1, 1200, 2250L);
        changed(1, 2300, "WORK", "DONE");
        row(1, "DONE", null, "plain", 1100, 2280);
        good(2, "plain");
        assertThat(complaints()).containsExactly("task 2 (plain): 1 others of lane ran at its begin");
    }

    @Test
    void groupWhoseNextBeginsBeforeTheEndOfTheLastIsWritten_isAccepted() {
        inserted(1, "fails");
        changed(1, 1100, "PLAN", "WORK");
        ran(1, 1200, null);
        changed(1, 2300, "WORK", "FAIL");
        row(1, "FAIL", "ERROR", "fails", 1100, 2150);
        good(2, "plain");
        assertThat(complaints()).isEmpty();
    }

    /** A run without an end lasts until its row says something else. */
    @Test
    void groupBeyondItsLimit_besideARunThatWasLost_isNamed() {
        inserted(1, "plain");
        changed(1, 1100, "PLAN", "WORK");
        ran(1, 1200, null);
        changed(1, 2250, "WORK", "PLAN");
        changed(1, 2500, "PLAN", "WORK");
        ran(1, 2600, 2700L);
        changed(1, 2800, "WORK", "DONE");
        row(1, "DONE", null, "plain", 2500, 2750);
        good(2, "plain");
        assertThat(complaints()).containsExactly("task 2 (plain): 1 others of lane ran at its begin");
    }

    @Test
    void limitThatTheServerSawExceeded_isNamed() {
        good(1, "plain");
        runs.set(0, new Run(1, 5, 1200, 1300L, false, 1, true));
        assertThat(complaints()).containsExactly("task 1 (plain): the server saw 1 others of its group at its begin");
    }

    @Test
    void brokenAndForkedChains_areNamed() {
        good(1, "repeat 1");
        inserted(2, "repeat 1", 0, 1L, 100);
        goodEnd(2, "repeat 1");
        inserted(3, "repeat 1", 0, 1L, 100);
        goodEnd(3, "repeat 1");
        inserted(4, "repeat 1", 0, 3L, 250);
        goodEnd(4, "repeat 1");
        inserted(5, "repeat 1", 0, null, 0);
        goodEnd(5, "repeat 1");
        assertThat(complaints())
                .containsExactly(
                        "task 1 (repeat 1): was repeated twice",
                        "task 4 (repeat 1): is not on the grid of its repeat",
                        "repeat 1 has 2 first runs",
                        "repeat 1 has 3 last runs");
    }

    @Test
    void addedTaskThatIsMissingOrWithoutParent_isNamed() {
        good(1, "adds");
        inserted(2, "added");
        goodEnd(2, "added");
        assertThat(complaints())
                .containsExactly(
                        "task 2 (added): was added by a task and has no parent",
                        "task 1 (adds): worked 1 times and added 0 tasks");
    }
}
