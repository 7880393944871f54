package dev.howdah.spi;

import java.util.List;
import java.util.Map;

/**
 * A bridge to a metrics library. Howdah requests each instrument once, by its name and its
 * labels, keeps it, and calls it from many threads: instruments have to be thread-safe and fast.
 *
 * <p>Names are those of Prometheus: {@code howdah_jobs_ended_total}, {@code howdah_job_seconds}. Instruments of one name always have
 * the same label keys. Label values may be names that users have chosen: up to 200 characters of any kind.
 */
public interface Metrics {
    /** A counter that only grows. */
    @FunctionalInterface
    interface Counter {
        /**
         * @param count the increment; not negative
         */
        void add(long count);
    }

    /** A distribution of durations. */
    @FunctionalInterface
    interface Timer {
        /**
         * @param nanos the duration in nanoseconds; not negative
         */
        void record(long nanos);
    }

    /** A distribution of sizes. */
    @FunctionalInterface
    interface Histogram {
        /**
         * @param value not negative; the name contains its unit
         */
        void record(double value);
    }

    /** A value that goes up and down. */
    @FunctionalInterface
    interface Gauge {
        /**
         * @param value the present value; NaN: unknown
         */
        void set(double value);
    }

    /**
     * Returns a counter. For the same name and labels it returns the same counter, or one that adds to the same.
     *
     * @param help a short description
     */
    Counter counter(String name, String help, Map<String, String> labels);

    /** Returns a timer, as {@link #counter}. */
    Timer timer(String name, String help, Map<String, String> labels);

    /** Returns a gauge, as {@link #counter}. */
    Gauge gauge(String name, String help, Map<String, String> labels);

    /**
     * Returns a histogram, as {@link #counter}. The default implementation discards the values.
     *
     * @param bounds the upper bounds of useful buckets, ascending
     */
    default Histogram histogram(String name, String help, List<Double> bounds, Map<String, String> labels) {
        return value -> {};
    }

    /** Returns metrics that discard all values: the default. */
    static Metrics none() {
        return NoMetrics.NONE;
    }
}
