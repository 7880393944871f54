package dev.howdah.job.internal.batch;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.job.internal.store.ByDay;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The statements that end batches, for batches of one day.
 *
 * @param claim ends batches, and takes jobs
 * @param done ends batches
 * @param settle ends batches whose jobs did not all end well
 * @param turns writes how far the runs of batches are
 */
record DayStatements(Sql claim, Sql done, Sql settle, Sql turns) {
    private static final ByDay<DayStatements> EACH = new ByDay<>(DayStatements::new);

    private DayStatements(SqlFile file) {
        this(
                file.statement("job_claim"),
                file.statement("batch_done"),
                file.statement("batch_settle"),
                file.statement("batch_turns"));
    }

    /** @param day as {@code 2026-01-31}; null: any */
    static DayStatements of(@Nullable String day) {
        return EACH.of(day);
    }

    /** The one day of those batches, of which there is at least one; null: it is not known, or there are several. */
    static @Nullable String dayOf(List<ClaimedBatch> batches) {
        @Nullable String first = batches.get(0).day();
        for (ClaimedBatch each : batches) if (first == null || !first.equals(each.day())) return null;
        return first;
    }

    List<Sql> all() {
        return List.of(claim, done, settle, turns);
    }
}
