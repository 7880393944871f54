package dev.howdah.sweep.internal.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SweepControlTest {
    private static final Duration MOST = Duration.ofMillis(300);

    private final SweepControl control = new SweepControl();

    @Test
    void outage_countsOnlyTimeInWhichRowsCouldHaveBegun() {
        assertThat(control.outage(MOST)).isNull();
        control.pause(true);
        control.unavailable("gone", null);
        await().during(MOST.multipliedBy(2)).atMost(Patience.LIMIT).until(() -> control.outage(MOST) == null);
        control.pause(false);
        await().until(() -> "the receiver is unavailable: gone".equals(control.outage(MOST)));
        control.rest(new ReceiverPause("not yet", Duration.ofHours(1)));
        control.done();
        assertThat(control.outage(MOST)).as("it has asked not to be tried").isNotNull();
    }

    @Test
    void outage_thatIsOver_isForgotten() {
        control.unavailable("gone", Duration.ZERO);
        await().until(() -> control.outage(MOST) != null);
        await().until(() -> {
            control.done();
            return control.outage(MOST) == null;
        });
        control.unavailable("gone again", null);
        assertThat(control.outage(Duration.ofHours(1))).isNull();
        assertThat(control.outage(Duration.ZERO)).endsWith("gone again");
    }
}
