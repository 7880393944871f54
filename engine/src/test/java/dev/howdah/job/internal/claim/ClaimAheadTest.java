package dev.howdah.job.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.job.internal.claim.ClaimAhead.Size;
import dev.howdah.job.internal.lane.Lane;
import org.junit.jupiter.api.Test;

/** How many jobs a claim under a limit takes, by how long the jobs before took. */
class ClaimAheadTest {
    private static final Lane LANE = new Lane(1, "default", null);
    private static final Lane OTHER = new Lane(2, "default", "other");
    private static final long MILLI = 1_000_000;

    private final ClaimAhead ahead = new ClaimAhead();

    /** As one node with a limit of 8 would ask. */
    private Size next(Lane lane) {
        return ahead.next(lane, 8, 4, 500, 0);
    }

    private void ran(long nanos, int batches) {
        for (int i = 0; i < batches; i++) ahead.ended(LANE, true, nanos, nanos);
    }

    @Test
    void lane_ofWhichNothingIsKnown_isClaimedAJobForEachPlace() {
        assertThat(next(LANE)).isEqualTo(new Size(8, 8));
        assertThat(ahead.next(LANE, 8, 4, 3, 0)).isEqualTo(new Size(3, 3));
    }

    @Test
    void shortJobs_growTheClaimsStepByStep() {
        ran(1_000, 1);
        assertThat(next(LANE)).isEqualTo(new Size(16, 4));
        ran(1_000, 1);
        assertThat(next(LANE)).isEqualTo(new Size(64, 4));
        ran(1_000, 10);
        assertThat(next(LANE)).isEqualTo(new Size(ClaimAhead.MOST, 4));
        assertThat(next(OTHER)).as("another lane").isEqualTo(new Size(8, 8));
    }

    @Test
    void claim_takesNoMoreThanThereIsRoomFor_andThanTheNodeWants() {
        ran(1_000, 10);
        assertThat(ahead.next(LANE, 1, 4, 500, 0)).isEqualTo(new Size(500, 1));
        assertThat(ahead.next(LANE, 3, 4, 50, 0)).isEqualTo(new Size(50, 3));
        assertThat(ahead.next(LANE, 8, 4, 2, 0)).isEqualTo(new Size(2, 2));
    }

    @Test
    void claim_isWorkForATenthOfASecond() {
        ran(5 * MILLI, 10);
        assertThat(next(LANE)).isEqualTo(new Size(4 * 20, 4));
        ran(20 * MILLI, 1);
        assertThat(next(LANE)).as("at once").isEqualTo(new Size(4 * 5, 4));
    }

    @Test
    void longJobs_areClaimedOneForEachPlaceAtOnce() {
        ran(1_000, 10);
        ahead.ended(LANE, true, MILLI, 60 * MILLI);
        assertThat(next(LANE)).as("one was long").isEqualTo(new Size(8, 8));
        ran(1_000, 10);
        ahead.ended(LANE, false, 1_000, 1_000);
        assertThat(next(LANE)).as("some went back").isEqualTo(new Size(8, 8));
        ran(1_000, 10);
        assertThat(ahead.next(LANE, 4, 4, 500, 150 * MILLI)).isEqualTo(new Size(500, 4));
        assertThat(ahead.next(LANE, 4, 4, 500, 201 * MILLI))
                .as("jobs of a batch wait for long")
                .isEqualTo(new Size(4, 4));
        assertThat(next(LANE)).as("from then on").isEqualTo(new Size(8, 8));
    }
}
