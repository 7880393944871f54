package dev.howdah.job.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.batch.ClaimId;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.lane.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Kind: a request that comes between the claim in the database and the moment in which the node knows of it. */
final class CancelRouterTest {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final List<ClaimedJob> told = new ArrayList<>();
    private final OpenBatches batches = new OpenBatches(new ClaimerSignals());
    private final CancelRouter router = new CancelRouter(batches, told::addAll, now::get);

    @Test
    void heard_beforeTheClaimIsAnswered_isAskedForOfItsBatch() {
        assertThat(router.askedOf(List.of(batch(1, 7, 8)))).isEmpty();
        assertThat(router.heard(Set.of(7L, 100L))).isFalse();
        assertThat(router.askedOf(List.of(batch(1, 6, 7), batch(2, 8)))).containsExactly(7L);
    }

    @Test
    void heard_ofAJobThatGoesBackAndIsClaimedAgain_isAskedForAgain() {
        ClaimedBatch first = batch(1, 7);
        batches.opened(first);
        assertThat(router.heard(Set.of(7L))).isTrue();
        batches.closed(first.claim());
        ClaimedBatch second = batch(2, 7);
        assertThat(router.askedOf(List.of(second))).containsExactly(7L);
        batches.opened(second);
        router.cancel(Set.of(7L));
        // A look that began before does not take it back.
        router.cancel(Set.of());
        assertThat(told).containsExactly(second.job(0), second.job(0));
    }

    @Test
    void heard_secondsAgo_isForgotten() {
        router.heard(Set.of(7L));
        now.addAndGet(Duration.ofSeconds(11).toNanos());
        assertThat(router.askedOf(List.of(batch(1, 7)))).isEmpty();
    }

    /** Any role can send notifications: they cost memory for a thousand, and no cancellation is lost among them. */
    @Test
    void heard_ofVeryManyJobs_isAskedForOfEachJobForSomeSeconds() {
        router.heard(LongStream.range(1000, 4000).boxed().collect(Collectors.toSet()));
        router.heard(Set.of(7L));
        assertThat(router.askedOf(List.of(batch(1, 7, 8)))).containsExactlyInAnyOrder(7L, 8L);
        now.addAndGet(Duration.ofSeconds(11).toNanos());
        assertThat(router.askedOf(List.of(batch(1, 7, 8)))).isEmpty();
    }

    private static ClaimedBatch batch(long number, long... jobs) {
        List<ClaimedJob> claimed = LongStream.of(jobs)
                .mapToObj(id -> ClaimedJob.of(id, "{}", null, null))
                .toList();
        return new ClaimedBatch(1, new ClaimId(number, 1), new Lane(1, "default", null), "work", claimed);
    }
}
