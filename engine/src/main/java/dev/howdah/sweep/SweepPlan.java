package dev.howdah.sweep;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a dry run.
 *
 * @param table with its schema
 * @param rows the number of rows that match
 * @param isExact whether they were counted; else that is the planner's estimate
 * @param plan how rows would be read, as EXPLAIN shows it
 * @param locks the maximum number of locks of this process at the same time
 * @param locksFree how many more locks the server could give
 * @param objections why it would be refused; empty: it would start
 * @param started the moment that {@code :started} stands for, where the sweep of that name would go on; null: it would begin
 * @param ended when the sweep that would go on was done, was stopped, or failed; null: it has not ended, or it would begin
 * @param skipped how many of the rows have failed before, and would not be tried again
 * @param first the first rows that would be processed, 10 at most, in their order; none if it takes too long to find them
 * @param sql the statements of a batch as PostgreSQL gets them, {@code :started} replaced: the work, if it is SQL, and the mark
 */
public record SweepPlan(
        String table,
        long rows,
        boolean isExact,
        List<String> plan,
        long locks,
        long locksFree,
        List<String> objections,
        @Nullable Instant started,
        @Nullable Instant ended,
        long skipped,
        List<SweepRow> first,
        List<String> sql) {
    public SweepPlan {
        plan = List.copyOf(plan);
        objections = List.copyOf(objections);
        first = List.copyOf(first);
        sql = List.copyOf(sql);
    }
}
