package dev.howdah.job.internal.attempt;

import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The jobs that leave their turn among those of their order key while they wait, and those that want it back. */
public final class OrderTurns {
    private static final Sql RELEASE = JobSql.ORDER.statement("order_release");
    private static final Sql RETURN = JobSql.ORDER.statement("order_return");

    private final List<Long> released = new ArrayList<>();
    private final List<Long> returned = new ArrayList<>();

    public void add(ClaimedJob job, @Nullable AttemptResult result) {
        if (result == AttemptResult.WANTS_TURN) returned.add(job.id());
        OpenWait wait = result == null ? null : result.openWait();
        if (wait != null && wait.handler().releasesOrder() && job.isOrdered()) released.add(job.id());
    }

    public boolean isEmpty() {
        return released.isEmpty() && returned.isEmpty();
    }

    /** Behind the statement that says how their runs have ended, in its transaction. */
    public void write(JobSession session) throws SQLException {
        if (!released.isEmpty()) session.update(RELEASE, (Object) released.toArray(Long[]::new));
        if (!returned.isEmpty()) session.update(RETURN, (Object) returned.toArray(Long[]::new));
    }
}
