package dev.howdah.job.internal.batch;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.job.internal.store.JobSql;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The statements that end batches, for batches of one day. A statement that names the day opens and locks the table of that day, the same without a
 * day those of all days that are kept, whether a row of theirs is meant or not.
 *
 * @param claim ends batches, and takes jobs
 * @param done ends batches
 * @param settle ends batches whose jobs did not all end well
 */
record DayStatements(Sql claim, Sql done, Sql settle) {
    /** For batches of any day. */
    static final DayStatements ANY = of(JobSql.JOB);

    private static final Map<String, DayStatements> KNOWN = new ConcurrentHashMap<>();
    /** Nodes end batches of today, and now and then of yesterday. */
    private static final int MOST = 4;

    /** @param day as {@code 2026-01-31}; null: any */
    static DayStatements of(@Nullable String day) {
        if (day == null) return ANY;
        if (KNOWN.size() > MOST) KNOWN.clear();
        return KNOWN.computeIfAbsent(day, each -> of(JobSql.JOB.with(Map.of("of_day", condition(each)))));
    }

    private static DayStatements of(SqlFile file) {
        return new DayStatements(
                file.statement("job_claim"), file.statement("batch_done"), file.statement("batch_settle"));
    }

    /** That text is read as a date first: it can be nothing else then. */
    private static String condition(String day) {
        return "b.day = DATE '" + LocalDate.parse(day) + "'";
    }

    /** For those batches, of which there is at least one. */
    static @Nullable String dayOf(List<ClaimedBatch> batches) {
        @Nullable String first = batches.get(0).day();
        for (ClaimedBatch each : batches) if (first == null || !first.equals(each.day())) return null;
        return first;
    }

    /** The statements of this day. */
    List<Sql> all() {
        return List.of(claim, done, settle);
    }
}
