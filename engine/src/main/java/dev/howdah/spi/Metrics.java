package dev.howdah.spi;

import java.util.List;
import java.util.Map;

/**
 * Where figures about the work go: a bridge to whatever collects them. Howdah asks once for each instrument, by its name and its
 * labels, keeps it, and then calls it from many threads, so instruments have to be safe for that, and quick.
 *
 * <p>Names are those of Prometheus: {@code howdah_jobs_ended_total}, {@code howdah_job_seconds}. Labels of one name have always
 * the same keys. Their values may be names that users have given, any characters and at most 200 of them.
 */
public interface Metrics {
    /** Something that is counted and never goes back. */
    @FunctionalInterface
    interface Counter {
        /** @param count how many more; not negative */
        void add(long count);
    }

    /** Something that takes time. */
    @FunctionalInterface
    interface Timer {
        /** @param nanos how long it took, in nanoseconds; not negative */
        void record(long nanos);
    }

    /** Something whose sizes are of interest, each for itself. */
    @FunctionalInterface
    interface Histogram {
        /** @param value not negative; the name says its unit */
        void record(double value);
    }

    /** Something that goes up and down. */
    @FunctionalInterface
    interface Gauge {
        /** @param value what it is now; NaN: nobody knows any more */
        void set(double value);
    }

    /**
     * A counter; asked for again, the same one, or one that counts for the same.
     *
     * @param help what it counts, in a few words
     */
    Counter counter(String name, String help, Map<String, String> labels);

    /** As {@link #counter}, for times. */
    Timer timer(String name, String help, Map<String, String> labels);

    /** As {@link #counter}, for what goes up and down. */
    Gauge gauge(String name, String help, Map<String, String> labels);

    /**
     * As {@link #counter}, for sizes. Unless a bridge has its own it keeps nothing of them.
     *
     * @param bounds the upper bounds of the buckets that are worth having, ascending
     */
    default Histogram histogram(String name, String help, List<Double> bounds, Map<String, String> labels) {
        return value -> {};
    }

    /** Keeps nothing. What Howdah has unless it is told otherwise. */
    static Metrics none() {
        return NoMetrics.NONE;
    }
}
