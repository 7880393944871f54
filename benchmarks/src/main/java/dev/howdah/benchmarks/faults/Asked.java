package dev.howdah.benchmarks.faults;

import dev.howdah.benchmarks.faults.NodeProgram.Order;
import dev.howdah.job.CancelResult;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/** What a producer has asked for, one after the other, and what it was told. Safe for use by many threads. */
final class Asked {
    /** What is known of a job that was to be added. */
    enum Fate {
        COMMITTED,
        ROLLED_BACK,
        /** Another one has its key, or a newer version of it is known. */
        REFUSED,
        /** The session was lost meanwhile. */
        UNKNOWN;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private record Cancel(CancelResult result, long at) {}

    private final Map<Long, Order> orders = new ConcurrentSkipListMap<>();
    private final Map<Long, Fate> fates = new ConcurrentHashMap<>();
    private final Map<Long, Long> jobs = new ConcurrentHashMap<>();
    private final Map<Long, Cancel> cancels = new ConcurrentHashMap<>();

    void order(Order order) {
        orders.put(order.n(), order);
    }

    void fate(long n, Fate fate) {
        fates.put(n, fate);
    }

    /** It is there, as that job. */
    void added(long n, long job) {
        jobs.put(n, job);
        fates.put(n, Fate.COMMITTED);
    }

    /** The answer to its cancellation; ASKED if the answer is not known. */
    void cancelled(long n, CancelResult result, long at) {
        cancels.put(n, new Cancel(result, at));
    }

    /** By their numbers. */
    Map<Long, Order> orders() {
        return orders;
    }

    Fate fate(long n) {
        return fates.getOrDefault(n, Fate.UNKNOWN);
    }

    /** The number that the job has in the database, if that is known. */
    @Nullable
    Long job(long n) {
        return jobs.get(n);
    }

    /** The answer to its cancellation; null: it was not cancelled. */
    @Nullable
    CancelResult cancelled(long n) {
        Cancel cancel = cancels.get(n);
        return cancel == null ? null : cancel.result();
    }

    /** When {@link #cancelled} was said. */
    long cancelledAt(long n) {
        Cancel cancel = cancels.get(n);
        return cancel == null ? Long.MAX_VALUE : cancel.at();
    }
}
