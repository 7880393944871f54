package dev.howdah.job.internal.attempt;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a handler waits for when its run ends, as a row of {@code howdah_internal.job_record}.
 *
 * @param nth which of this type and name
 * @param number the place among the records of the job
 * @param micros after how many microseconds the wait ends
 * @param since since when, by {@link System#nanoTime}
 * @param until the end, where it is known, as the database reads it; null: it follows from {@code micros}
 * @param again whether an earlier run has begun to wait for this
 * @param among what ends it, where its name does not say that; null: its name does
 * @param divergence null unless the job has diverged
 * @param handler what its handler has said of jobs that wait
 */
public record OpenWait(
        Type type,
        String name,
        int nth,
        int number,
        long micros,
        long since,
        @Nullable String until,
        boolean again,
        @Nullable Among among,
        @Nullable Divergence divergence,
        Waiting handler) {
    private static final long FIRST_MICROS = 1_000_000;
    private static final long LONGEST_MICROS = 600_000_000;
    /** The tenth doubling is longer than the longest. */
    private static final int MOST_DOUBLINGS = 10;

    /**
     * Signals, children, events and other jobs.
     *
     * @param signals their names
     * @param children their ids; null: all that the job has
     * @param jobs their ids
     */
    public record Among(List<String> signals, @Nullable List<Long> children, List<Happening> events, List<Long> jobs) {
        public Among(List<String> signals, @Nullable List<Long> children) {
            this(signals, children, List.of(), List.of());
        }
    }

    /**
     * An event.
     *
     * @param place among several that the job waits for, from 1; 0: it waits for this one alone
     * @param filter JSON that its payload contains; null: anything
     * @param since the database's time from which on it has to be emitted; null: since the job was added
     */
    public record Happening(
            int place,
            String topic,
            String key,
            @Nullable String filter,
            @Nullable String since) {}

    /**
     * Why a job is suspended that has diverged.
     *
     * @param times how often it has, one run after the other
     */
    public record Divergence(String error, int times) {}

    public OpenWait(
            Type type,
            String name,
            int nth,
            int number,
            long micros,
            long since,
            @Nullable String until,
            boolean again) {
        this(type, name, nth, number, micros, since, until, again, null, null, Waiting.USUAL);
    }

    /** The same, with what ends it. */
    public OpenWait among(Among several) {
        return new OpenWait(type, name, nth, number, micros, since, until, again, several, divergence, handler);
    }

    /** The same, of such a handler. */
    public OpenWait of(Waiting its) {
        return new OpenWait(type, name, nth, number, micros, since, until, again, among, divergence, its);
    }

    /**
     * What a handler has said of jobs that wait in it.
     *
     * @param version of the handler; null: it has none
     * @param priority with which the job goes on; null: with its own
     * @param throwsCancel whether the handler is told in one more run when the job is cancelled
     * @param releasesOrder whether the next job of its order key may run meanwhile
     */
    public record Waiting(
            @Nullable String version, @Nullable Integer priority, boolean throwsCancel, boolean releasesOrder) {
        static final Waiting USUAL = new Waiting(null, null, false, false);
    }

    /**
     * The job waits for a program that does not fit its records or its version.
     *
     * @param number of its last record
     * @param times how often it has waited so before, one run after the other
     */
    public static OpenWait forOtherCode(Type type, String name, int number, String error, int times) {
        long micros = Math.min(LONGEST_MICROS, FIRST_MICROS << Math.min(times, MOST_DOUBLINGS));
        return new OpenWait(
                type,
                name,
                1,
                number,
                micros,
                System.nanoTime(),
                null,
                true,
                null,
                new Divergence(error, times + 1),
                Waiting.USUAL);
    }

    /** The kind of a record. */
    public enum Type {
        SLEEP("sleep"),
        SIGNAL("signal"),
        /** The code of a handler behind which its waits began has been changed. */
        PATCH("patch"),
        /** A job that the handler has added. */
        CHILD("child"),
        /** Several of them; not the type of a record. */
        CHILDREN("children"),
        EVENT("event"),
        /** The end of a job that is no child. */
        JOB("job"),
        /** A step whose failure the handler has caught; it waits for nothing. */
        THROWN("thrown"),
        /** The first of several. */
        ANY("any"),
        /** The records of the job do not fit the code of this program: it waits for another one, and is no record. */
        DIVERGED("diverged"),
        /** Its next beginning, with another payload; no record. */
        CONTINUE("continue"),
        /** It waits for a program whose handler goes on with jobs of its version; no record. */
        VERSION("version");

        private final String code;

        Type(String code) {
            this.code = code;
        }

        /** As in {@code howdah_internal.job_record.type}. */
        public String code() {
            return code;
        }

        /** The one with that code. */
        public static Type of(String code) {
            for (Type each : values()) if (each.code.equals(code)) return each;
            throw new IllegalArgumentException("the database says of a record: " + code);
        }
    }

    /** For people: {@code sleep "cool down"}. */
    public String words() {
        Divergence why = divergence;
        return why == null ? type.code() + " \"" + name + '"' : "other code: " + why.error();
    }

    /** How many microseconds are left. */
    public long left() {
        return Math.max(0, micros - TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - since));
    }
}
