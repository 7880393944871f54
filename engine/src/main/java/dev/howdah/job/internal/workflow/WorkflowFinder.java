package dev.howdah.job.internal.workflow;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.store.JobRows;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.internal.store.JobStatements;
import dev.howdah.job.workflow.SqlPipeline;
import dev.howdah.job.workflow.WorkflowJob;
import dev.howdah.job.workflow.WorkflowSummary;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads single workflows, and lists them. Safe for use by many threads. */
public final class WorkflowFinder {
    private static final Sql FIND = JobSql.WORKFLOW.statement("workflow_find");
    private static final Sql LIST = JobSql.WORKFLOW.statement("workflow_list");
    private static final Sql OLDEST = JobSql.WORKFLOW.statement("workflow_list_oldest");
    private static final Sql JOBS = JobSql.WORKFLOW.statement("workflow_list_jobs");
    private static final Sql PIPELINES = JobSql.WORKFLOW.statement("workflow_list_pipelines");
    private static final Sql BEFORE = JobSql.WORKFLOW.statement("workflow_list_before");

    private final JobStatements statements;

    public WorkflowFinder(ConnectionSource source) {
        this(new JobStatements(source));
    }

    public WorkflowFinder(JobStatements statements) {
        this.statements = statements;
    }

    public Optional<WorkflowSummary> find(long workflow) {
        return statements.list(FIND, WorkflowFinder::summary, workflow).stream().findFirst();
    }

    public List<WorkflowSummary> list(boolean unfinished, long before, int most) {
        return statements.list(LIST, WorkflowFinder::summary, null, unfinished, before, most);
    }

    /** The oldest first, those with a larger id than that. */
    public List<WorkflowSummary> oldest(boolean unfinished, long after, int most) {
        return statements.list(OLDEST, WorkflowFinder::summary, null, unfinished, after, most);
    }

    public List<WorkflowJob> jobs(long workflow) {
        return statements.list(
                JOBS,
                row -> new WorkflowJob(
                        row.getLong("id"),
                        row.getString("name"),
                        state(row),
                        List.of((String[]) row.getArray("after").getArray()),
                        row.getString("kind"),
                        row.getString("result"),
                        row.getString("error")),
                workflow);
    }

    /** The pipelines that are defined in SQL, by name. */
    public List<SqlPipeline> pipelines() {
        return statements.list(
                PIPELINES,
                row -> new SqlPipeline(
                        row.getString("name"), JobRows.instant(row, "changed"), row.getString("stages")));
    }

    /** The jobs that a job has waited for. */
    public List<Before> before(long job) {
        return statements.list(
                BEFORE,
                row -> new Before(
                        row.getString("name"),
                        row.getString("kind"),
                        state(row),
                        row.getString("result"),
                        row.getString("error")),
                job);
    }

    /**
     * A job that another one has waited for.
     *
     * @param result as JSON
     */
    public record Before(
            String name,
            String kind,
            WorkflowJob.State state,
            @Nullable String result,
            @Nullable String error) {}

    private static WorkflowJob.State state(ResultSet row) throws SQLException {
        return WorkflowJob.State.valueOf(row.getString("state").toUpperCase(Locale.ROOT));
    }

    private static WorkflowSummary summary(ResultSet row) throws SQLException {
        return new WorkflowSummary(
                row.getLong("id"),
                row.getString("name"),
                WorkflowSummary.State.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
                JobRows.instant(row, "created"),
                JobRows.instantOrNull(row, "ended"),
                row.getLong("total"),
                row.getLong("done"),
                row.getLong("failed"),
                row.getLong("cancelled"),
                row.getLong("waiting"),
                row.getInt("callbacks"));
    }
}
