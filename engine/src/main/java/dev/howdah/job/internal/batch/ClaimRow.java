package dev.howdah.job.internal.batch;

import dev.howdah.job.internal.attempt.ClaimedJob;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * One row that a claim answers with. All types of rows have the same five columns, and their NULLs tell the type: a column that named it
 * would be sent and read for each job. This is the only place that reads them.
 */
sealed interface ClaimRow {
    /** A claimed job, and the batch that it is in. */
    record OfJob(long batch, ClaimedJob job) implements ClaimRow {}

    /**
     * A new batch.
     *
     * @param kind of all its jobs; null: they have several
     * @param places the ids of its jobs, at their places; null: it has one job
     * @param day of its row, as {@code 2026-01-31}; null: not known
     */
    record OfBatch(
            long batch,
            @Nullable String kind,
            @Nullable String places,
            @Nullable String day) implements ClaimRow {}

    /** A batch that was finished. */
    record Finished(ClaimId claim) implements ClaimRow {}

    /** The first of the due jobs of a priority. */
    record FirstDue(int priority, ScanBounds.Low low) implements ClaimRow {}

    /** A kind of the lane that is paused. */
    record PausedKind(String kind) implements ClaimRow {}

    /** How the lane is, as {@code howdah_internal.claim_within} says it of one with groups. */
    record OfLane(String word) implements ClaimRow {}

    /**
     * Reads the current row of an answer:
     *
     * <pre>
     *   type        batch  job       payload  kind     what is unusual
     *   OfJob       set    set       any      any      any
     *   OfBatch     set    -         day      any      ids
     *   Finished    set    -         token    -        -
     *   FirstDue    -      priority  time     -        job
     *   PausedKind  -      -         -        set      -
     *   OfLane      -      -         -        -        a word and a number
     * </pre>
     */
    static ClaimRow read(ResultSet row) throws SQLException {
        long batch = row.getLong(1);
        long id = row.getLong(2);
        @Nullable String payload = row.getString(3);
        @Nullable String kind = row.getString(4);
        if (batch != 0 && id != 0) return new OfJob(batch, ClaimedJob.of(id, payload, kind, row.getString(5)));
        @Nullable String places = batch == 0 ? null : row.getString(5);
        // Of one kind, or of several jobs.
        if (kind != null && batch != 0 || places != null) return new OfBatch(batch, kind, places, payload);
        if (batch != 0 && payload != null) return new Finished(new ClaimId(batch, Long.parseLong(payload)));
        if (kind != null) return new PausedKind(kind);
        if (payload != null) return new FirstDue((int) id, new ScanBounds.Low(payload, row.getLong(5)));
        @Nullable String word = row.getString(5);
        if (id == 0 && word != null) return new OfLane(word);
        throw new IllegalStateException("a claim answers with a row of no type: job " + id);
    }
}
