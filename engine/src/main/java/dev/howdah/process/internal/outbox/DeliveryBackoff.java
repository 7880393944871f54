package dev.howdah.process.internal.outbox;

import dev.howdah.process.notice.Notice;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * When notices that have failed come again: after a second, then after longer, up to half a minute. Each process for itself, or, when
 * no notice was taken, all together. For one thread.
 */
final class DeliveryBackoff {
    private static final long FIRST_MILLIS = 1_000;
    private static final long LONGEST_MILLIS = 30_000;
    /** A century, as the longest pause that a receiver can ask for: beyond 292 years numbers of nanoseconds overflow. */
    private static final long MOST_MILLIS = TimeUnit.DAYS.toMillis(36_500);

    /** When so many processes wait each for itself, all do. */
    private static final int MOST = 1_000;

    private final Map<String, Pause> processes = new HashMap<>();
    private long next = FIRST_MILLIS;

    private record Pause(long until, long millis) {}

    /** Nothing has arrived: for how long all processes wait. */
    long all() {
        long pause = next;
        next = Math.min(next * 2, LONGEST_MILLIS);
        return pause;
    }

    /**
     * Notices of these processes have failed.
     *
     * @param nothing whether nothing at all was taken
     * @param retryAfter the pause that the receiver asks for
     * @return for how long all processes wait
     */
    long failed(Set<String> which, boolean nothing, Duration retryAfter) {
        long now = System.nanoTime();
        long asked = Math.min(TimeUnit.MILLISECONDS.convert(retryAfter), MOST_MILLIS);
        // One alone may be the only one that is not taken.
        if (nothing && which.size() > 1 || processes.size() + which.size() > MOST) return Math.max(all(), asked);
        for (String each : which) {
            Pause before = processes.get(each);
            long millis = before == null ? FIRST_MILLIS : Math.min(before.millis() * 2, LONGEST_MILLIS);
            long wait = Math.max(millis, asked);
            processes.put(each, new Pause(now + TimeUnit.MILLISECONDS.toNanos(wait), millis));
        }
        return 0;
    }

    /** These have arrived. */
    void arrived(List<Notice> notices) {
        if (notices.isEmpty()) return;
        next = FIRST_MILLIS;
        if (processes.isEmpty()) return;
        Collection<String> fine = new HashSet<>();
        for (Notice each : notices) fine.add(each.process());
        processes.keySet().removeAll(fine);
    }

    /**
     * Which processes wait, and for how long, of one moment: a pause that ends between two questions would be in neither answer.
     *
     * @param processes whose time has not come yet
     * @param millis until the first one's time comes, at most so many as were asked for
     */
    record Waiting(Set<String> processes, long millis) {}

    Waiting waiting(long mostMillis) {
        if (processes.isEmpty()) return new Waiting(Set.of(), mostMillis);
        long now = System.nanoTime();
        long nearest = TimeUnit.MILLISECONDS.toNanos(mostMillis);
        Set<String> waiting = new HashSet<>();
        for (Map.Entry<String, Pause> each : processes.entrySet()) {
            long left = each.getValue().until() - now;
            if (left <= 0) continue;
            waiting.add(each.getKey());
            nearest = Math.min(nearest, left);
        }
        return new Waiting(waiting, TimeUnit.NANOSECONDS.toMillis(nearest));
    }
}
