package dev.howdah.job.internal.attempt;

import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.store.JobSql;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The children of other jobs that are done, as the statement {@code child_done} takes them; a trigger writes those that failed. */
public final class ChildEnds {
    /** Writes the ends, in the transaction that ends the jobs. */
    public static final Sql WRITE = JobSql.WAIT.statement("child_done");

    private final List<Long> children = new ArrayList<>();
    private final List<Long> parents = new ArrayList<>();
    private final List<String> kinds = new ArrayList<>();
    private final List<@Nullable String> results = new ArrayList<>();

    /**
     * Adds a job, if it is a child and done.
     *
     * @param kind its last one
     */
    public ChildEnds add(ClaimedJob job, String kind, @Nullable AttemptResult result) {
        if (job.parent() == 0 || result == null || result.state() != AttemptState.DONE) return this;
        children.add(job.id());
        parents.add(job.parent());
        kinds.add(kind);
        results.add(result.result());
        return this;
    }

    public boolean isEmpty() {
        return children.isEmpty();
    }

    /** What the statement takes. */
    public Object[] values() {
        return new Object[] {
            children.toArray(Long[]::new),
            parents.toArray(Long[]::new),
            kinds.toArray(String[]::new),
            results.toArray(String[]::new)
        };
    }
}
