package dev.howdah.job.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.lane.Lane;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** When a node sleeps. */
class LanePollsTest {
    private static final long MILLI = 1_000_000;

    private final ClaimerSignals signals = new ClaimerSignals();
    private final LanePolls polls = new LanePolls(signals, true);

    LanePollsTest() {
        polls.lanes(List.of(new Lane(1, "queue", null)));
        signals.forget();
    }

    private void lookInVain() {
        polls.awake();
        LanePolls.Look look = Objects.requireNonNull(polls.next(), "a lane is due");
        polls.looked(look, BatchStore.Claimed.nothing(500));
    }

    @Test
    void lanes_whoseJobsComeFarApart_areSleptOverAtOnce() {
        lookInVain();
        assertThat(polls.isQuiet()).isFalse();
        polls.slept(50 * MILLI);
        lookInVain();
        assertThat(polls.isQuiet()).isTrue();
        polls.slept(15 * MILLI);
        lookInVain();
        assertThat(polls.isQuiet()).as("neither long nor short: as before").isTrue();
        polls.slept(MILLI);
        lookInVain();
        assertThat(polls.isQuiet()).as("the next job comes soon").isFalse();
    }

    /** A signal of its own would end the sleep that follows, and that one the next. */
    @Test
    void claimer_thatWakesUp_isNotWokenByItself() throws InterruptedException {
        polls.awake();
        assertThat(signals.await(0)).isFalse();
        polls.wake(0);
        assertThat(signals.await(0)).isTrue();
        polls.wake(0);
        signals.forget();
        assertThat(signals.await(0)).isFalse();
    }

    private LanePolls.Look look() {
        return Objects.requireNonNull(polls.next(), "a lane is due");
    }

    @Test
    void lane_ofANodeThatSleeps_isDueWhenItIsRungFor() {
        polls.lanes(List.of(new Lane(1, "queue", null), new Lane(2, "other", null)));
        polls.fallAsleep();
        assertThat(polls.next()).isNull();
        polls.wake(2);
        LanePolls.Look look = look();
        assertThat(look.watch().lane().id()).isEqualTo(2);
        assertThat(look.from().tellsNext()).isTrue();
        assertThat(look.from().lows()).as("from the beginning").isEmpty();
        assertThat(look.single()).isTrue();
        polls.looked(look, BatchStore.Claimed.nothing(500));
        assertThat(polls.doze()).isTrue();
        assertThat(polls.isRung()).isFalse();
        assertThat(polls.lookAgainAtRung()).as("nothing came since").isZero();
        polls.wake(2);
        assertThat(polls.lookAgainAtRung()).as("of two lanes one was rung for").isEqualTo(1);
        look = look();
        assertThat(look.watch().lane().id()).isEqualTo(2);
        assertThat(look.from().tellsNext()).isTrue();
        polls.looked(look, BatchStore.Claimed.nothing(500));
        assertThat(polls.doze()).isTrue();
        polls.awake();
        look = look();
        assertThat(look.from().tellsNext()).isFalse();
        assertThat(look.single()).as("the node is awake").isFalse();
        assertThat(look()).isNotNull();
    }

    /** Another node holds the doorbell, and is the one that is meant. */
    @Test
    void lane_thatIsLeftToAnotherNode_isDueWhenItIsPassedOn() throws InterruptedException {
        polls.lanes(List.of(new Lane(1, "queue", null), new Lane(2, "other", null)));
        polls.fallAsleep();
        polls.leaveToOtherNodes(Set.of(1));
        signals.forget();
        polls.rung(Set.of(1L));
        assertThat(signals.await(0)).isFalse();
        assertThat(polls.next()).isNull();
        polls.rung(Set.of(1L, 2L));
        assertThat(signals.await(0)).isTrue();
        assertThat(look().watch().lane().id()).isEqualTo(2);
        polls.wakeAny(Set.of(1L));
        assertThat(signals.await(0)).isTrue();
        LanePolls.Look look = look();
        assertThat(look.watch().lane().id()).isEqualTo(1);
        polls.looked(look, BatchStore.Claimed.nothing(500));
        polls.awake();
        polls.fallAsleep();
        polls.rung(Set.of(1L));
        assertThat(look().watch().lane().id()).isEqualTo(1);
    }

    @Test
    void node_rungForTwoLanes_looksAtBothBeforeItSleepsOn() {
        polls.lanes(List.of(new Lane(1, "queue", null), new Lane(2, "other", null)));
        polls.fallAsleep();
        polls.wakeAny(Set.of(1L, 2L));
        polls.looked(look(), BatchStore.Claimed.nothing(500));
        assertThat(polls.doze()).isFalse();
        polls.looked(look(), BatchStore.Claimed.nothing(500));
        assertThat(polls.doze()).isTrue();
    }

    @Test
    void workers_thatWouldLikeMore_doNotWakeANodeThatSleeps() throws InterruptedException {
        signals.asleep(true);
        signals.hungry();
        assertThat(signals.await(0)).isFalse();
        signals.asleep(false);
        signals.hungry();
        assertThat(signals.await(0)).isTrue();
    }
}
