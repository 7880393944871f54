package dev.howdah.job.internal.attempt;

import dev.howdah.job.FatalException;
import dev.howdah.job.Job;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How much a job has recorded, and whether there is room for more: each run reads all of it. Safe for use by many threads. */
public final class RecordRoom {
    private static final Logger log = LoggerFactory.getLogger(RecordRoom.class);

    /**
     * What a job may record.
     *
     * @param records steps, waits and calls that add children
     * @param length of all results and payloads, in characters of JSON
     * @param each of one result
     */
    public record Limits(int records, long length, int each) {
        public static final Limits USUAL = new Limits(10_000, 32L << 20, 1 << 20);
    }

    private final Job job;
    private final Limits limits;
    private int records;
    private long length;
    private boolean isSaid;

    public RecordRoom(Job job, Limits limits) {
        this.job = job;
        this.limits = limits;
    }

    /** An earlier run has recorded this. */
    public synchronized void read(@Nullable String json) {
        records++;
        if (json != null) length += json.length();
    }

    /** This run has recorded that. */
    public synchronized void written(@Nullable String json) {
        boolean wasLittle = isLittle();
        read(json);
        if (!wasLittle || isLittle() || isSaid) return;
        isSaid = true;
        log.warn(
                "job {} ({}) has {} records with {} characters, half of what it may have ({} and {}), and each run reads all"
                        + " of them: continueAs restarts it without them",
                job.id(),
                job.kind(),
                records,
                length,
                limits.records,
                limits.length);
    }

    private boolean isLittle() {
        return records < limits.records / 2 && length < limits.length / 2;
    }

    /**
     * Refuses a new record before anything is done for it.
     *
     * @param what step, wait or child
     */
    public synchronized void check(String what) {
        if (records < limits.records && length < limits.length) return;
        throw new FatalException(
                what + " of job " + job.id() + " is refused: it has " + records + " records with " + length
                        + " characters, where " + limits.records + " and " + limits.length
                        + " are allowed, and each run reads all of them");
    }

    /** Why a result is too long to be recorded; null: it is not. */
    public @Nullable String tooLong(@Nullable String json) {
        return json == null || json.length() <= limits.each
                ? null
                : json.length() + " characters of JSON, where " + limits.each
                        + " are allowed: keep it elsewhere, and return where";
    }
}
