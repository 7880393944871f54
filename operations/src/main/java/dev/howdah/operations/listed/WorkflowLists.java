package dev.howdah.operations.listed;

import static dev.howdah.operations.shape.FieldType.ID;
import static dev.howdah.operations.shape.FieldType.INTEGER;
import static dev.howdah.operations.shape.FieldType.JSON;
import static dev.howdah.operations.shape.FieldType.TEXT;
import static dev.howdah.operations.shape.FieldType.TEXTS;
import static dev.howdah.operations.shape.FieldType.TIME;

import dev.howdah.job.workflow.SqlPipeline;
import dev.howdah.job.workflow.WorkflowJob;
import dev.howdah.job.workflow.WorkflowSummary;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListItem;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.value.FlagValue;
import java.util.List;

/** Workflows of jobs, and pipelines that are defined in SQL. */
public final class WorkflowLists {
    private static final Parameter<Boolean> UNFINISHED =
            Parameter.maybe("unfinished", new FlagValue(), "Only those that have not ended.");

    private static final Parameter<String> SORT = ListModel.sort(WorkflowOrder.values());

    public static final ListItem<WorkflowSummary> WORKFLOW = ListItem.<WorkflowSummary>of("Workflow")
            .of("id", ID, "the id of the workflow", WorkflowSummary::id)
            .maybe("name", TEXT, "absent: it was added without one", WorkflowSummary::name)
            .of("state", TEXT, "open, running, cancelling or ended; there may be more", WorkflowSummary::state)
            .of("created", TIME, "when it was added", WorkflowSummary::created)
            .maybe("ended", TIME, "when all of its jobs had ended", WorkflowSummary::ended)
            .of("total", INTEGER, "its jobs", WorkflowSummary::total)
            .of("done", INTEGER, "jobs that are done", WorkflowSummary::done)
            .of("failed", INTEGER, "jobs that have failed", WorkflowSummary::failed)
            .of("cancelled", INTEGER, "jobs that were cancelled", WorkflowSummary::cancelled)
            .of("waiting", INTEGER, "jobs that wait or run", WorkflowSummary::waiting)
            .of(
                    "callbacks",
                    INTEGER,
                    "jobs that run when all have ended, and wait for a node",
                    WorkflowSummary::callbacks)
            .wide("callbacks ended");

    public static final ListModel<WorkflowSummary> WORKFLOWS = ListModel.of(
                    "listWorkflows", "/workflows", "Lists workflows of jobs.", WORKFLOW)
            .page("WorkflowPage")
            .command("job workflow list")
            .filters(UNFINISHED)
            .sorted(SORT)
            .pages(WorkflowLists::workflows, workflow -> Long.toString(workflow.id()));

    public static final ListItem<WorkflowJob> MEMBER = ListItem.<WorkflowJob>of("WorkflowJob")
            .of("id", ID, "the id of the job", WorkflowJob::id)
            .of("name", TEXT, "in the workflow", WorkflowJob::name)
            .of("state", TEXT, "held, released, done, failed or cancelled; there may be more", WorkflowJob::state)
            .of("after", TEXTS, "names of the jobs that it waits for, or has waited for", WorkflowJob::after)
            .of("kind", TEXT, "its kind", WorkflowJob::kind)
            .maybe("result", JSON, "without secrets", WorkflowJob::result)
            .masked()
            .maybe("error", TEXT, "its first line, without secrets", WorkflowJob::error)
            .masked();

    /** A workflow with its jobs. */
    public record Detail(WorkflowSummary workflow, List<WorkflowJob> jobs) {}

    public static final ListItem<Detail> DETAIL = ListItem.<Detail>of("WorkflowDetail")
            .one("workflow", WORKFLOW, "as in the list", Detail::workflow)
            .many("jobs", MEMBER, "those that have names, in the order in which they were given", Detail::jobs);

    public static final ListModel<SqlPipeline> PIPELINES = ListModel.of(
                    "listPipelines",
                    "/pipelines",
                    "Lists the pipelines that are defined in SQL.",
                    ListItem.<SqlPipeline>of("SqlPipeline")
                            .of("name", TEXT, "its name", SqlPipeline::name)
                            .of("changed", TIME, "when it was put last", SqlPipeline::changed)
                            .of("stages", JSON, "an array of its stages, without secrets", SqlPipeline::stages)
                            .masked())
            .command("job pipeline list")
            .all(call -> call.engine().jobs().pipelines());

    private WorkflowLists() {}

    private static List<WorkflowSummary> workflows(ListCall call) {
        WorkflowOrder order = call.get(SORT, WorkflowOrder.class);
        return (call.isBackwards() ? order.opposite() : order)
                .list(
                        call.engine().jobs(),
                        call.values().isOn(UNFINISHED),
                        call.place().startId(),
                        call.asked());
    }
}
