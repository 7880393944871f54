package dev.howdah.console.internal.access;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** Limits how often each of many may do something: so many at once, and then so many a second. Safe for use by many threads. */
public final class RateLimiter {
    /** The one that has waited for longest is forgotten then. */
    private static final int MOST = 10_000;

    private static final double NANOS = 1e9;

    private static final class Bucket {
        private double left;
        private long filled;

        Bucket(double left, long filled) {
            this.left = left;
            this.filled = filled;
        }
    }

    private final double perSecond;
    private final int burst;
    private final LongSupplier clock;
    private final Map<String, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true);

    /** @param clock nanoseconds */
    public RateLimiter(double perSecond, int burst, LongSupplier clock) {
        this.perSecond = perSecond;
        this.burst = burst;
        this.clock = clock;
    }

    /** Takes one; false: none is left. */
    public synchronized boolean take(String key) {
        Bucket bucket = filled(key);
        if (bucket.left < 1) return false;
        bucket.left--;
        return true;
    }

    /** Returns whether one is left. */
    synchronized boolean has(String key) {
        return filled(key).left >= 1;
    }

    private Bucket filled(String key) {
        long now = clock.getAsLong();
        Bucket bucket = buckets.get(key);
        if (bucket == null) {
            if (buckets.size() >= MOST)
                buckets.remove(buckets.keySet().iterator().next());
            bucket = new Bucket(burst, now);
            buckets.put(key, bucket);
        }
        bucket.left = Math.min(burst, bucket.left + (now - bucket.filled) / NANOS * perSecond);
        bucket.filled = now;
        return bucket;
    }
}
