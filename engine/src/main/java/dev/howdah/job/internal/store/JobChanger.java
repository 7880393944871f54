package dev.howdah.job.internal.store;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrorText;
import dev.howdah.job.JobsException;
import dev.howdah.job.query.JobQuery;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Changes all jobs that meet a query, in steps of a transaction each. Safe for use by many threads. */
public final class JobChanger {
    private static final Sql CHECK = JobSql.ADMIN.statement("job_change_check");
    private static final Sql STEP = JobSql.ADMIN.statement("job_change_step");
    private static final int STEP_JOBS = 1_000;

    private final ConnectionSource source;

    public JobChanger(ConnectionSource source) {
        this.source = source;
    }

    /** The change of the jobs. */
    public enum Action {
        RETRY,
        RUN_NOW,
        CANCEL,
        MOVE,
        DELETE;

        private String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Returns the number of jobs that were changed. */
    public long change(Action action, JobQuery query, @Nullable String toQueue) {
        String state = query.state().name().toLowerCase(Locale.ROOT);
        try (Connection connection = source.getConnection()) {
            try (PreparedStatement check = CHECK.prepare(connection, action.text(), state, toQueue)) {
                check.execute();
            }
            @Nullable
            Object[] conditions = JobLister.with(
                    new @Nullable Object[] {action.text()},
                    JobLister.with(JobLister.conditions(query), JobLister.tags(query), query.metadata(), toQueue));
            long changed = 0;
            for (long last = -1; ; ) {
                try (PreparedStatement step = STEP.prepare(connection, JobLister.with(conditions, last, STEP_JOBS));
                        ResultSet row = step.executeQuery()) {
                    row.next();
                    if (row.getLong("seen") == 0) return changed;
                    changed += row.getLong("changed");
                    last = row.getLong("next");
                }
            }
        } catch (SQLException e) {
            throw new JobsException(SqlErrorText.of(e), e);
        }
    }
}
