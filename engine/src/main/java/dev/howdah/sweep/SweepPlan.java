package dev.howdah.sweep;

import java.util.List;

/**
 * What a sweep would do (S19).
 *
 * @param table with its schema
 * @param rows how many are to do
 * @param isExact whether they were counted; else that is the planner's estimate
 * @param plan how rows would be read, as EXPLAIN says it
 * @param locks how many rows this process would have locked at most at the same time
 * @param locksFree how many more locks it could have
 * @param objections why it would not start; empty: it would
 */
public record SweepPlan(
        String table,
        long rows,
        boolean isExact,
        List<String> plan,
        long locks,
        long locksFree,
        List<String> objections) {
    public SweepPlan {
        plan = List.copyOf(plan);
        objections = List.copyOf(objections);
    }
}
