package dev.howdah.job.internal.attempt;

import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.store.JobSql;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The children of other jobs that are done, and the jobs that are done whose children are cancelled then, as the statement {@code child_done} takes them;
 * triggers see to those that failed.
 */
public final class ChildEnds {
    /** Writes the ends, in the transaction that ends the jobs. */
    public static final Sql WRITE = JobSql.WAIT.statement("child_done");

    private final List<Long> children = new ArrayList<>();
    private final List<Long> parents = new ArrayList<>();
    private final List<String> kinds = new ArrayList<>();
    private final List<@Nullable String> results = new ArrayList<>();
    private final List<Long> over = new ArrayList<>();

    /**
     * Adds a job, if it is done, and a child or the parent of children that are cancelled then.
     *
     * @param kind its last one
     * @param cancelsChildren whether it has such children
     */
    public ChildEnds add(ClaimedJob job, String kind, boolean cancelsChildren, @Nullable AttemptResult result) {
        if (result == null || result.state() != AttemptState.DONE) return this;
        if (cancelsChildren) over.add(job.id());
        if (job.parent() == 0) return this;
        children.add(job.id());
        parents.add(job.parent());
        kinds.add(kind);
        results.add(result.result());
        return this;
    }

    public boolean isEmpty() {
        return children.isEmpty() && over.isEmpty();
    }

    /** What the statement takes. */
    public Object[] values() {
        return new Object[] {
            children.toArray(Long[]::new),
            parents.toArray(Long[]::new),
            kinds.toArray(String[]::new),
            results.toArray(String[]::new),
            over.toArray(Long[]::new)
        };
    }
}
