package dev.howdah.operations.listed;

import static dev.howdah.operations.shape.FieldType.BOOLEAN;
import static dev.howdah.operations.shape.FieldType.DURATION;
import static dev.howdah.operations.shape.FieldType.ID;
import static dev.howdah.operations.shape.FieldType.INTEGER;
import static dev.howdah.operations.shape.FieldType.TEXT;
import static dev.howdah.operations.shape.FieldType.TIME;

import dev.howdah.operations.Engine;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Values;
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListItem;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.list.ListPage;
import dev.howdah.operations.list.ListPlace;
import dev.howdah.operations.list.MissingObjectException;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.value.ChoiceValue;
import dev.howdah.operations.value.NameValue;
import dev.howdah.operations.value.TextValue;
import dev.howdah.operations.value.TimeValue;
import dev.howdah.task.Task;
import dev.howdah.task.TaskCounts;
import dev.howdah.task.TaskPage;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskSchedules;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Tasks, their groups and schedules. */
public final class TaskLists {
    private static final int GROUPS = 500;
    private static final int LONGEST_TEXT = 1_000;

    private static final Parameter<String> NAME = Parameter.of("name", NameValue.USUAL, "The name of the schedule.");

    public static final Parameter<String> STATE = Parameter.maybe(
            "state",
            new ChoiceValue(
                    Arrays.stream(TaskState.values()).map(TaskState::name).toList()),
            "Only in that state; any unless given.");

    public static final Parameter<String> GROUP =
            Parameter.maybe("group", new NameValue(LONGEST_TEXT), "Only of that group.");

    public static final Parameter<String> OWNER =
            Parameter.maybe("owner", new NameValue(LONGEST_TEXT), "Only of that role.");

    public static final Parameter<String> TEXT_OF = Parameter.maybe(
            "text",
            new TextValue(LONGEST_TEXT),
            "Only with that text in input, output or error; needs the role operator.");

    private static final Parameter<String> INPUT = Parameter.maybe(
            "input", new TextValue(LONGEST_TEXT), "Only with that text in the input; needs the role operator.");

    private static final Parameter<String> ERROR = Parameter.maybe(
            "error", new TextValue(LONGEST_TEXT), "Only with that text in the error; needs the role operator.");

    private static final Parameter<String> SQLSTATE =
            Parameter.maybe("sqlstate", new TextValue(5), "Only those whose error has this code: 40001.");

    private static final Parameter<String> REMOTE = Parameter.maybe(
            "remote", new TextValue(LONGEST_TEXT), "Only with that text in the remote; needs the role operator.");

    public static final Parameter<String> SCHEDULE =
            Parameter.maybe("schedule", NameValue.USUAL, "Only the runs of this schedule.");

    private static final Parameter<Instant> FROM = Parameter.maybe(
            "from", new TimeValue(false), "Only those that ended, or are planned, at this time or later.");

    private static final Parameter<Instant> UNTIL = Parameter.maybe(
            "until",
            new TimeValue(true),
            "Only those that ended, or are planned, before this time; a day is included.");

    /** What tasks are chosen by, besides their state. */
    public static final List<Parameter<?>> FILTERS =
            List.of(GROUP, OWNER, TEXT_OF, INPUT, ERROR, SQLSTATE, REMOTE, SCHEDULE, FROM, UNTIL);

    /** The same with their state. */
    public static final List<Parameter<?>> CHOSEN =
            Stream.concat(Stream.of(STATE), FILTERS.stream()).toList();

    private static final Parameter<String> SORT = Parameter.maybe(
            "sort",
            new ChoiceValue(
                    Arrays.stream(TaskQuery.Order.values()).map(ListModel::word).toList()),
            "The order: newest unless given, soonest of state PLAN, which alone has soonest and latest.");

    /** In a list: texts are cut. */
    public static final ListItem<Task> LISTED = ListItem.<Task>of("ListedTask")
            .of("id", ID, "the id of the task", Task::id)
            .of(
                    "state",
                    TEXT,
                    "PLAN, GONE, TAKE, WORK, DONE, FAIL or STOP",
                    task -> task.state().name())
            .of("group", TEXT, "tasks of a group take turns", Task::group)
            .maybe("owner", TEXT, "the role whose privileges it has", Task::owner)
            .maybe("remote", TEXT, "where it runs, without a password; absent: here", Task::remote)
            .address()
            .maybe("parent", ID, "the task that has added it", Task::parent)
            .of("plan", TEXT, "when it may start: a time, infinity or -infinity", Task::plan)
            .maybe("start", TIME, "when it started", Task::start)
            .maybe("stop", TIME, "when it ended", Task::stop)
            .maybe("took", DURATION, "how long it ran", TaskLists::took)
            .of("active", TEXT, "how long after plan it may start, as PostgreSQL writes intervals", Task::active)
            .of("repeat", TEXT, "how long after plan it is planned again", Task::repeat)
            .maybe("cron", TEXT, "the schedule of its runs", Task::cron)
            .maybe("zone", TEXT, "of cron", Task::zone)
            .of("attempts", INTEGER, "the runs that remain, this one included", Task::attempts)
            .of("backoff", TEXT, "how long after an error the next attempt is planned", Task::backoff)
            .maybe("after", TEXT, "the tasks that have to end well before, as PostgreSQL writes arrays", Task::after)
            .maybe("retry", ID, "the task that retries it", Task::retry)
            .of("once", BOOLEAN, "whether its effects and its end are one transaction", Task::once)
            .maybe("notify", TEXT, "the channel that is told of its end", Task::channel)
            .of("timeout", TEXT, "how long a statement of it may take", Task::timeout)
            .of("max", INTEGER, "how many others of its group may run beside it", Task::max)
            .maybe("pid", INTEGER, "the server process of its run", Task::pid)
            .maybe("data", TEXT, "a text of the user, without secrets", Task::data)
            .masked()
            .of("input", TEXT, "its SQL, without secrets", Task::input)
            .masked()
            .maybe("output", TEXT, "its results, without secrets", Task::output)
            .masked()
            .maybe("error", TEXT, "its error, without secrets", Task::error)
            .masked()
            .wide("start")
            .more(
                    "owner remote parent stop active repeat cron zone attempts backoff after retry once notify timeout max pid"
                            + " data");

    public static final ListModel<Task> TASKS = ListModel.of("listTasks", "/tasks", "Lists tasks.", LISTED)
            .page("TaskPage")
            .beside(Engine.TABLE)
            .command("task list")
            .filters(CHOSEN.toArray(Parameter<?>[]::new))
            .searches(TEXT_OF, INPUT, ERROR, REMOTE)
            .sorted(SORT)
            .facts(Field.maybe(
                    "searched_to",
                    ID,
                    "the page is short since many tasks were looked at: this one last; next goes on there"))
            .searched(TaskLists::tasks);

    public static final ListModel<TaskCounts.Group> TASK_GROUPS = ListModel.of(
                    "listTaskGroups",
                    "/tasks/groups",
                    "Lists the groups of tasks that have tasks which run or are due.",
                    ListItem.<TaskCounts.Group>of("TaskGroup")
                            .of("group", TEXT, "its name", TaskCounts.Group::group)
                            .maybe(
                                    "remote",
                                    TEXT,
                                    "where its tasks run; absent: in this database",
                                    TaskCounts.Group::remote)
                            .address()
                            .of("running", INTEGER, "how many run", TaskCounts.Group::running)
                            .of(
                                    "due",
                                    INTEGER,
                                    "how many of the first 10,000 due tasks are of it",
                                    TaskCounts.Group::due)
                            .maybe("oldest", TIME, "when the first of these was due", TaskCounts.Group::oldest)
                            .of("max", INTEGER, "the largest max of these tasks", TaskCounts.Group::max))
            .beside(Engine.TABLE)
            .command("task groups")
            .order("those with the most due tasks first, 500 at most")
            .all(call -> table(call).groups(GROUPS));

    public static final ListModel<TaskSchedules.Entry> TASK_SCHEDULES = ListModel.of(
                    "listTaskSchedules",
                    "/task-schedules",
                    "Lists the schedules of tasks.",
                    ListItem.<TaskSchedules.Entry>of("TaskSchedule")
                            .of("name", TEXT, "its name", TaskSchedules.Entry::name)
                            .maybe("owner", TEXT, "the role whose it is", TaskSchedules.Entry::owner)
                            .of("cron", TEXT, "its times", TaskSchedules.Entry::cron)
                            .maybe(
                                    "zone",
                                    TEXT,
                                    "of cron; absent: that of the owner's sessions",
                                    TaskSchedules.Entry::zone)
                            .of(
                                    "state",
                                    TEXT,
                                    "waiting, running or paused; there may be more",
                                    TaskSchedules.Entry::state)
                            .maybe("next", TIME, "absent while it runs or is paused", TaskSchedules.Entry::next)
                            .of("id", ID, "the task that waits or runs", TaskSchedules.Entry::id)
                            .of("input", TEXT, "the SQL of its tasks, without secrets", TaskSchedules.Entry::sql)
                            .masked()
                            .maybe(
                                    "last_id",
                                    ID,
                                    "the last run that has ended; absent: none",
                                    TaskSchedules.Entry::lastId)
                            .maybe("last_start", TIME, "when that started", TaskSchedules.Entry::lastStart)
                            .maybe("last_stop", TIME, "when it ended", TaskSchedules.Entry::lastStop)
                            .maybe(
                                    "last_state",
                                    TEXT,
                                    "how it ended, DONE or FAIL; there may be more",
                                    entry -> name(entry.lastState()))
                            .maybe("last_error", TEXT, "its error, without secrets", TaskSchedules.Entry::lastError)
                            .masked()
                            .wide("owner id last_stop")
                            .more("last_id last_start"))
            .beside(Engine.TABLE)
            .command("task schedule list")
            .all(call -> table(call).schedules().list());

    public static final ListModel<Task> TASK_SCHEDULE_RUNS = ListModel.of(
                    "listTaskScheduleRuns",
                    "/task-schedules/{name}/runs",
                    "Lists the runs of a schedule of tasks.",
                    LISTED)
            .page("TaskScheduleRuns")
            .command("task schedule log")
            .key(NAME)
            .beside(Engine.TABLE)
            .order("the newest first; texts cut to 1,000 characters")
            .limit(50, 500)
            .all(call -> {
                String name = call.key(NAME);
                List<Task> runs = table(call).schedules().runs(name, call.limit());
                if (runs.isEmpty()) throw new MissingObjectException("there is no schedule \"" + name + "\"");
                return runs;
            });

    private TaskLists() {}

    private static TaskTable table(ListCall call) {
        return call.engine().tasks(call.key().find(Engine.TABLE));
    }

    private static @Nullable String name(@Nullable TaskState state) {
        return state == null ? null : state.name();
    }

    private static @Nullable Duration took(Task task) {
        Instant start = task.start();
        Instant stop = task.stop();
        return start == null || stop == null ? null : Duration.between(start, stop);
    }

    /** The tasks that are chosen. */
    public static TaskQuery query(Values values) {
        String state = values.find(STATE);
        return TaskQuery.all()
                .state(state == null ? null : TaskState.valueOf(state))
                .group(values.find(GROUP))
                .owner(values.find(OWNER))
                .text(values.find(TEXT_OF))
                .input(values.find(INPUT))
                .error(values.find(ERROR))
                .sqlstate(values.find(SQLSTATE))
                .remote(values.find(REMOTE))
                .schedule(values.find(SCHEDULE))
                .from(values.find(FROM))
                .until(values.find(UNTIL));
    }

    /** What tasks are chosen by besides their state, such as {@code  of group nightly}; empty: nothing. */
    public static String words(TaskQuery query) {
        return word(" of group ", query.group())
                + word(" of ", query.owner())
                + word(" with ", quoted(query.text()))
                + word(" with input ", quoted(query.input()))
                + word(" with error ", quoted(query.error()))
                + word(" with code ", query.sqlstate())
                + word(" with remote ", quoted(query.remote()))
                + word(" of schedule ", query.schedule())
                + word(" since ", query.from())
                + word(" until ", query.until());
    }

    static String word(String before, @Nullable Object value) {
        return value == null ? "" : before + value;
    }

    private static @Nullable String quoted(@Nullable String text) {
        return text == null ? null : '"' + text + '"';
    }

    private static ListPage<Task> tasks(ListCall call) {
        TaskQuery.Order order = call.find(SORT, TaskQuery.Order.class);
        TaskQuery query = query(call.values());
        if (query.state() != TaskState.PLAN && (order == TaskQuery.Order.SOONEST || order == TaskQuery.Order.LATEST))
            throw new IllegalArgumentException(
                    "sort=" + ListModel.word(order) + " is for state=PLAN; other states have newest and oldest");
        query = query.order(order).limit(call.limit());
        ListPlace place = call.place();
        TaskTable table = table(call);
        TaskPage page = table.list(
                (place.isBackwards() ? query.order(query.inOrder().opposite()) : query).after(place.start()));
        if (place.isPastFirst(page.tasks(), page.searchedTo() != 0)) {
            place = ListPlace.FIRST;
            page = table.list(query);
        }
        TaskQuery further = page.next();
        return new ListPage<>(
                        place.inOrder(page.tasks()),
                        place.beside(further == null ? null : further.after(), page.first()),
                        Map.of())
                .with("searched_to", page.searchedTo() == 0 ? null : page.searchedTo());
    }
}
