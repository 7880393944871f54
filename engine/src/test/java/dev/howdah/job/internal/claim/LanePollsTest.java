package dev.howdah.job.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.lane.Lane;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** When a node sleeps. */
class LanePollsTest {
    private static final long MILLI = 1_000_000;

    private final ClaimerSignals signals = new ClaimerSignals();
    private final LanePolls polls = new LanePolls(signals);

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
}
