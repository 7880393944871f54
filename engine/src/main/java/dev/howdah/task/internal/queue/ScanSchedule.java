package dev.howdah.task.internal.queue;

import dev.howdah.task.internal.queue.ScanResult.Reach;
import java.time.Duration;
import java.util.Comparator;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * When the next scan is due: scans take a share of the time only; and which times the table names at which a task becomes due or expires. Belongs
 * to the scheduler's thread.
 */
public final class ScanSchedule {
    /** Scans may take one part in so many of the time. */
    private static final int SHARE = 20;

    /** The same while hardly any tasks wait: a client that adds single tasks should not have to wait for the next scan. */
    private static final int IDLE_SHARE = 5;

    private static final int HARDLY_ANY = 50;

    private static final long MIN_GAP_NANOS = 700_000;
    private static final long MAX_GAP_NANOS = Duration.ofSeconds(1).toNanos();

    private final LongSupplier nanoTime;
    private long scannedAt;
    private long gap;
    private long expiryAt = Long.MAX_VALUE;
    private @Nullable Duration nextPlan;

    public ScanSchedule() {
        this(System::nanoTime);
    }

    ScanSchedule(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.scannedAt = nanoTime.getAsLong();
    }

    /** That many seconds, at least 0 and at most a day. */
    static Duration duration(double seconds) {
        return Duration.ofNanos((long) (Math.min(Math.max(seconds, 0), 86_400) * 1e9));
    }

    /**
     * A scan has ended now.
     *
     * @param anew whether tasks may have come or gone anywhere before it
     * @param nextNanos how long the next scan will take
     */
    public void scanned(ScanResult result, boolean anew, long nextNanos) {
        if (anew && result.reach() != Reach.NEW) expiryAt = Long.MAX_VALUE;
        scannedAt = nanoTime.getAsLong();
        boolean idle = result.reach() == Reach.ALL && result.tasks().size() <= HARDLY_ANY;
        gap = Math.min(Math.max(nextNanos * (idle ? IDLE_SHARE : SHARE), MIN_GAP_NANOS), MAX_GAP_NANOS);
        nextPlan = result.nextPlan();
    }

    /** The last scan, and the work that it led to, have taken so long. */
    public void took(long nanos) {
        gap = Math.min(Math.max(nanos * SHARE, gap), MAX_GAP_NANOS);
    }

    /** A task that was read by the last scan or since expires in so many seconds after that scan. */
    public void expires(double seconds) {
        expiryAt = Math.min(expiryAt, scannedAt + duration(seconds).toNanos());
    }

    /** How long until the next scan may begin; negative: it is due. */
    public long nanosToScan() {
        return scannedAt + gap - nanoTime.getAsLong();
    }

    /** How long until a task becomes due or expires; null: none will, as far as the last scans have read. */
    @Nullable
    public Duration next() {
        long now = nanoTime.getAsLong();
        return Stream.of(
                        nextPlan == null ? null : nextPlan.minusNanos(now - scannedAt),
                        expiryAt == Long.MAX_VALUE ? null : Duration.ofNanos(expiryAt - now))
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(null);
    }
}
