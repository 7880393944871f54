package dev.howdah.operations.listed;

import static dev.howdah.operations.shape.FieldType.BOOLEAN;
import static dev.howdah.operations.shape.FieldType.DURATION;
import static dev.howdah.operations.shape.FieldType.ID;
import static dev.howdah.operations.shape.FieldType.INTEGER;
import static dev.howdah.operations.shape.FieldType.TEXT;
import static dev.howdah.operations.shape.FieldType.TIME;

import dev.howdah.operations.Engine;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.chart.Backlog;
import dev.howdah.operations.chart.ChartRange;
import dev.howdah.operations.chart.Deployment;
import dev.howdah.operations.chart.ErrorPoint;
import dev.howdah.operations.chart.JobPoint;
import dev.howdah.operations.chart.SweepPoint;
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListItem;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.list.ListPage;
import dev.howdah.operations.read.Installed;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.value.ChoiceValue;
import dev.howdah.operations.value.NameValue;
import dev.howdah.operations.value.TextValue;
import dev.howdah.task.TaskCounts;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The numbers of charts. */
public final class ChartLists {
    private static final String STEPS = "one for each step, the oldest first";

    /** How far back. */
    public static final Parameter<String> RANGE = Parameter.preset(
            "range",
            new ChoiceValue(ChartRange.texts()),
            ChartRange.H1.text(),
            "How far back: by the minute, by 20 minutes, by 2 or by 8 hours; 1h unless given.");

    private static final Parameter<String> QUEUE = Parameter.maybe("queue", NameValue.USUAL, "Only of that queue.");

    private static final Parameter<String> KIND = Parameter.maybe("kind", NameValue.USUAL, "Only of that kind.");

    private static final Parameter<String> TAG = Parameter.maybe(
            "tag",
            new TextValue(100),
            "Only with that tag, which has to be counted: what ended; not with the other two.");

    private static final ListItem<JobPoint> JOB_POINT = ListItem.<JobPoint>of("JobPoint")
            .of("time", TIME, "the begin of the step", JobPoint::time)
            .maybe(
                    "added",
                    INTEGER,
                    "jobs that came: what ended, and what the backlog has grown by; absent: not known",
                    JobPoint::added)
            .of("done", INTEGER, "jobs that were done", point -> point.ended().done())
            .of(
                    "retried",
                    INTEGER,
                    "attempts that are followed by another one",
                    point -> point.ended().retried())
            .of(
                    "failed",
                    INTEGER,
                    "jobs that have failed with their last attempt",
                    point -> point.ended().failed())
            .maybe("due", INTEGER, "jobs that could begin, at its end", backlog(Backlog::due))
            .maybe("later", INTEGER, "jobs whose time had not come", backlog(Backlog::later))
            .maybe("running", INTEGER, "jobs that nodes had claimed", backlog(Backlog::running))
            .maybe(
                    "oldest",
                    TIME,
                    "since when the first of the jobs that could begin was due",
                    backlog(Backlog::oldest))
            .maybe("counted", BOOLEAN, "false: more waited, and were not counted", backlog(Backlog::isAll))
            .maybe("waited_p50", DURATION, "half of those that ended had waited for so long at most", JobPoint::half)
            .maybe("waited_p95", DURATION, "95 of 100 of them", JobPoint::most)
            .maybe(
                    "run_average",
                    DURATION,
                    "how long those ran that were done",
                    point -> point.ended().average())
            .wide("later running oldest counted run_average");

    public static final ListModel<JobPoint> JOBS = ListModel.of(
                    "listJobPoints",
                    "/charts/jobs",
                    "Says how many jobs came, ended, failed and waited over time.",
                    JOB_POINT)
            .command("job chart")
            .order(STEPS)
            .filters(RANGE, QUEUE, KIND, TAG)
            .all(call -> call.ofJobs(() -> jobs(call)));

    private static final Parameter<String> PATTERN =
            Parameter.maybe("pattern", new TextValue(2_000), "Only this error, as the list of errors has it.");

    public static final ListModel<ErrorPoint> ERRORS = ListModel.of(
                    "listErrorPoints",
                    "/charts/errors",
                    "Says how many jobs have failed over time, of all errors or of one.",
                    ListItem.<ErrorPoint>of("ErrorPoint")
                            .of("time", TIME, "the begin of the step, which is ten minutes at least", ErrorPoint::time)
                            .of("jobs", INTEGER, "jobs that have failed for good, also retried ones", ErrorPoint::jobs))
            .command("job error-chart")
            .order(STEPS + "; steps without any are left out")
            .filters(RANGE, PATTERN, QUEUE, KIND)
            .searches(PATTERN)
            .all(call -> call.ofJobs(() -> errors(call)));

    public static final ListModel<SweepPoint> SWEEP = ListModel.of(
                    "listSweepPoints",
                    "/charts/sweeps/{name}",
                    "Says how many rows of a sweep were done and failed over time.",
                    ListItem.<SweepPoint>of("SweepPoint")
                            .of("time", TIME, "the begin of the step", SweepPoint::time)
                            .of("done", ID, "rows that were done", SweepPoint::done)
                            .of("failed", ID, "rows that have failed", SweepPoint::failed))
            .key(SweepLists.NAME)
            .command("sweep chart")
            .order(STEPS + "; steps in which it did not run are left out")
            .filters(RANGE)
            .all(call -> call.ofSweeps(() -> call.engine()
                    .charts()
                    .sweep(ChartRange.of(call.get(RANGE)), call.engine().reads().now(), call.key(SweepLists.NAME))));

    private static final Parameter<String> GROUP = Parameter.maybe("group", NameValue.USUAL, "Only of that group.");

    public static final ListModel<TaskCounts.Step> TASKS = ListModel.of(
                    "listTaskPoints",
                    "/charts/tasks",
                    "Says how many tasks began, ended and waited over time, among the newest " + TaskCounts.NEWEST
                            + " whose rows are there.",
                    ListItem.<TaskCounts.Step>of("TaskPoint")
                            .of("time", TIME, "the begin of the step", TaskCounts.Step::time)
                            .of("started", INTEGER, "tasks that began", TaskCounts.Step::started)
                            .of("done", INTEGER, "tasks that were done", TaskCounts.Step::done)
                            .of("failed", INTEGER, "tasks that have failed", TaskCounts.Step::failed)
                            .of("stopped", INTEGER, "tasks that were cancelled", TaskCounts.Step::stopped)
                            .maybe(
                                    "waited_p50",
                                    DURATION,
                                    "half of those that began had been due for so long at most",
                                    TaskCounts.Step::half)
                            .maybe("waited_p95", DURATION, "95 of 100 of them", TaskCounts.Step::most))
            .beside(Engine.TABLE)
            .facts(Field.of("exact", BOOLEAN, "false: there are older tasks, which were not looked at"))
            .command("task chart")
            .order(STEPS + "; steps in which none began or ended are left out")
            .filters(RANGE, GROUP)
            .whole(ChartLists::tasks);

    public static final ListModel<Deployment> DEPLOYMENTS = ListModel.of(
                    "listDeployments",
                    "/charts/deployments",
                    "Says when versions of nodes began, as charts mark it.",
                    ListItem.<Deployment>of("Deployment")
                            .of("time", TIME, "when the first node of it was started", Deployment::time)
                            .of("version", TEXT, "of the program of the node", Deployment::version)
                            .of("before", TEXT, "the version of the node that was started before", Deployment::before)
                            .of("node", TEXT, "the name of the first node", Deployment::node))
            .command("node deployments")
            .order("the last one first")
            .filters(RANGE)
            .all(ChartLists::deployments);

    private ChartLists() {}

    private static List<ErrorPoint> errors(ListCall call) {
        String pattern = call.find(PATTERN);
        Map<Instant, Long> jobs = new TreeMap<>();
        call.engine()
                .charts()
                .errors(
                        ChartRange.of(call.get(RANGE)),
                        call.engine().reads().now(),
                        pattern == null ? null : List.of(pattern),
                        call.find(QUEUE),
                        call.find(KIND))
                .values()
                .forEach(each -> each.points().forEach(point -> jobs.merge(point.time(), point.jobs(), Long::sum)));
        return jobs.entrySet().stream()
                .map(each -> new ErrorPoint(each.getKey(), each.getValue()))
                .toList();
    }

    private static ListPage<TaskCounts.Step> tasks(ListCall call) {
        ChartRange range = ChartRange.of(call.get(RANGE));
        TaskCounts.Course course = call.engine()
                .tasks(call.key().find(Engine.TABLE))
                .course(range.step(), range.begin(call.engine().reads().now()), call.find(GROUP));
        return ListPage.of(course.steps()).with("exact", course.isWhole());
    }

    private static List<Deployment> deployments(ListCall call) {
        Installed installed = call.engine().reads().installed();
        return installed.jobs() || installed.processes()
                ? call.engine().charts().deployments(ChartRange.of(call.get(RANGE)))
                : List.of();
    }

    private static List<JobPoint> jobs(ListCall call) {
        ChartRange range = ChartRange.of(call.get(RANGE));
        Instant now = call.engine().reads().now();
        String tag = call.find(TAG);
        if (tag == null) return call.engine().charts().jobs(range, now, call.find(QUEUE), call.find(KIND));
        if (call.find(QUEUE) != null || call.find(KIND) != null)
            throw new IllegalArgumentException("of a tag is not known how many are of a queue or of a kind");
        return call.engine().charts().jobsOfTag(range, now, tag);
    }

    private static <V> Function<JobPoint, @Nullable V> backlog(Function<Backlog, ? extends @Nullable V> value) {
        return point -> {
            Backlog backlog = point.backlog();
            return backlog == null ? null : value.apply(backlog);
        };
    }
}
