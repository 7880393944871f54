package dev.howdah.job.internal.attempt;

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
 */
public record OpenWait(
        Type type,
        String name,
        int nth,
        int number,
        long micros,
        long since,
        @Nullable String until,
        boolean again) {
    /** The kind of a record. */
    public enum Type {
        SLEEP("sleep");

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
        return type.code() + " \"" + name + '"';
    }

    /** How many microseconds are left. */
    public long left() {
        return Math.max(0, micros - TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - since));
    }
}
