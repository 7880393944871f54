package dev.howdah.operations.listed;

import static dev.howdah.operations.shape.FieldType.BOOLEAN;
import static dev.howdah.operations.shape.FieldType.ID;
import static dev.howdah.operations.shape.FieldType.INTEGER;
import static dev.howdah.operations.shape.FieldType.JSON;
import static dev.howdah.operations.shape.FieldType.TEXT;
import static dev.howdah.operations.shape.FieldType.TEXTS;
import static dev.howdah.operations.shape.FieldType.TIME;

import dev.howdah.job.query.JobEvent;
import dev.howdah.job.query.JobOrder;
import dev.howdah.job.query.JobPage;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Values;
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListItem;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.list.ListPage;
import dev.howdah.operations.list.ListPlace;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.read.ErrorGroup;
import dev.howdah.operations.read.ErrorGroups;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.value.ChoiceValue;
import dev.howdah.operations.value.DayValue;
import dev.howdah.operations.value.ManyValue;
import dev.howdah.operations.value.NameValue;
import dev.howdah.operations.value.PayloadText;
import dev.howdah.operations.value.TextValue;
import dev.howdah.operations.value.TimeValue;
import dev.howdah.operations.value.WholeValue;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Jobs, and groups of their errors. */
public final class JobLists {
    private static final int LONGEST_TEXT = 1_000;

    public static final Parameter<String> STATE = Parameter.preset(
            "state",
            new ChoiceValue(
                    Arrays.stream(JobState.values()).map(ListModel::word).toList()),
            ListModel.word(JobState.RUNNING),
            "Their state; running unless given.");

    public static final Parameter<String> QUEUE = Parameter.maybe("queue", NameValue.USUAL, "Only of that queue.");

    public static final Parameter<String> KIND = Parameter.maybe("kind", NameValue.USUAL, "Only of that kind.");

    public static final Parameter<String> KEY =
            Parameter.maybe("key", new NameValue(LONGEST_TEXT), "Only with that key.");

    public static final Parameter<List<String>> TAG =
            Parameter.maybe("tag", new ManyValue<>(new TextValue(100), 20), "Only with that tag; may be given again.");

    public static final Parameter<Integer> NODE = Parameter.maybe(
            "node",
            new WholeValue(1, Integer.MAX_VALUE),
            "Only of that node: of those that run, are done, have failed or were cancelled, by their latest attempt.");

    public static final Parameter<String> ERROR = Parameter.maybe(
            "error", new TextValue(LONGEST_TEXT), "Only with that text in the error; needs the role operator.");

    public static final Parameter<String> PAYLOAD = Parameter.maybe(
            "payload",
            new TextValue(LONGEST_TEXT),
            "Only whose payload contains this JSON, or this field, such as customer=7 or address.city=Edinburgh; needs the role operator.");

    public static final Parameter<String> METADATA = Parameter.maybe(
            "metadata",
            new TextValue(LONGEST_TEXT),
            "Only whose metadata contain this object; needs the role operator.");

    public static final Parameter<Instant> FROM =
            Parameter.maybe("from", new TimeValue(false), "Only those that ended, or are due, at this time or later.");

    public static final Parameter<Instant> UNTIL = Parameter.maybe(
            "until", new TimeValue(true), "Only those that ended, or are due, before this time; a day is included.");

    public static final Parameter<LocalDate> DAY =
            Parameter.maybe("day", new DayValue(), "Of those that are done: only of this day.");

    /** What jobs are chosen by, besides their state. */
    public static final List<Parameter<?>> FILTERS =
            List.of(QUEUE, KIND, KEY, TAG, ERROR, PAYLOAD, METADATA, FROM, UNTIL);

    /** The same with their state. */
    public static final List<Parameter<?>> CHOSEN =
            Stream.concat(Stream.of(STATE), FILTERS.stream()).collect(Collectors.toUnmodifiableList());

    private static final Parameter<String> SORT = ListModel.sort(JobOrder.values());

    public static final ListItem<JobSummary> JOB = ListItem.<JobSummary>of("Job")
            .of("id", ID, "the id of the job", JobSummary::id)
            .of("queue", TEXT, "its queue", JobSummary::queue)
            .of("kind", TEXT, "its kind", JobSummary::kind)
            .of(
                    "state",
                    TEXT,
                    "waiting, planned, retrying, following, running, done, failed or cancelled; there may be more",
                    JobSummary::state)
            .of("priority", INTEGER, "-100 to 100; lower runs first", JobSummary::priority)
            .of("attempt", INTEGER, "the attempts that have begun", JobSummary::attempt)
            .maybe("key", TEXT, "its key", JobSummary::key)
            .of("created", TIME, "when it was added", JobSummary::created)
            .of("run_at", TIME, "when it is due, or was for its latest attempt", JobSummary::runAt)
            .maybe("begun", TIME, "when its latest attempt began", JobSummary::begun)
            .maybe("ended", TIME, "when it was done, failed or was cancelled", JobSummary::ended)
            .maybe("node", INTEGER, "the node of its latest attempt", JobSummary::node)
            .maybe("error", TEXT, "of its latest attempt, without secrets", JobSummary::error)
            .masked()
            .maybe("result", JSON, "what its handler has left, without secrets", JobSummary::result)
            .masked()
            .maybe("payload", JSON, "without secrets; not in lists", JobSummary::payload)
            .masked()
            .of("tags", TEXTS, "sorted", JobSummary::tags)
            .maybe("metadata", JSON, "without secrets", JobSummary::metadata)
            .masked()
            .wide("priority ended tags")
            .more("key created begun node result metadata")
            .detail("payload");

    /** What streams of events tell of a job. */
    public static final ListItem<JobEvent> EVENT = ListItem.<JobEvent>of("JobEvent")
            .of("id", ID, "the id of the job", JobEvent::id)
            .of("queue", TEXT, "its queue", JobEvent::queue)
            .of("kind", TEXT, "its kind", JobEvent::kind)
            .of("state", TEXT, "what it is now", JobEvent::state)
            .of("attempt", INTEGER, "the attempts that have begun", JobEvent::attempt)
            .maybe("key", TEXT, "its key", JobEvent::key)
            .of("tags", TEXTS, "sorted", JobEvent::tags)
            .maybe("metadata", JSON, "without secrets", JobEvent::metadata)
            .masked()
            .maybe("error", TEXT, "of its latest attempt, without secrets", JobEvent::error)
            .masked();

    public static final ListModel<JobSummary> JOBS = ListModel.of("listJobs", "/jobs", "Lists jobs in one state.", JOB)
            .page("JobPage")
            .command("job list")
            .filters(STATE, QUEUE, KIND, KEY, TAG, NODE, ERROR, PAYLOAD, METADATA, FROM, UNTIL, DAY)
            .searches(ERROR, PAYLOAD, METADATA)
            .sorted(SORT)
            .facts(Field.maybe(
                    "searched_to",
                    TEXT,
                    "the page is short since a tenth of a second has passed: this job was looked at last, or, of those that are"
                            + " done, those of this time; next goes on there"))
            .searched(JobLists::jobs);

    private static final Parameter<String> FAILING = Parameter.preset(
            "state", ChoiceValue.of("failed", "retrying"), "failed", "The state of the jobs; failed unless given.");

    public static final ListModel<ErrorGroup> ERRORS = ListModel.of(
                    "listErrors",
                    "/errors",
                    "Groups the errors of jobs by their text.",
                    ListItem.<ErrorGroup>of("ErrorGroup")
                            .of(
                                    "pattern",
                                    TEXT,
                                    "the first line of the errors without numbers, ids and quoted parts",
                                    ErrorGroup::pattern)
                            .masked()
                            .of("jobs", INTEGER, "how many of those that were looked at have it", ErrorGroup::jobs)
                            .of("queues", TEXTS, "by name", ErrorGroup::queues)
                            .of("kinds", TEXTS, "by name", ErrorGroup::kinds)
                            .of("first", TIME, "of the oldest", ErrorGroup::first)
                            .of("last", TIME, "of the newest", ErrorGroup::last)
                            .of("example", ID, "the newest job", ErrorGroup::example)
                            .wide("first"))
            .page("JobErrors")
            .command("job errors")
            .filters(FAILING, QUEUE, KIND)
            .facts(
                    Field.of(
                            "of_newest",
                            INTEGER,
                            "among how many of the newest jobs of that queue and kind they are counted, each queue having its part"),
                    Field.of("exact", BOOLEAN, "false: there are more such jobs, older ones, which were not looked at"),
                    Field.maybe("since", TIME, "all that have failed since then were looked at, where exact is false"))
            .order("up to 100 groups, those of the most jobs first")
            .whole(JobLists::errors);

    private JobLists() {}

    /** What jobs are chosen by besides their state, such as {@code  of queue mail}; empty: nothing. */
    public static String words(JobQuery query) {
        return TaskLists.word(" of queue ", query.queue())
                + TaskLists.word(" of kind ", query.kind())
                + TaskLists.word(" with key ", query.key())
                + query.tags().stream().map(each -> " with tag " + each).collect(Collectors.joining())
                + (query.error() == null ? "" : " with \"" + query.error() + "\" in the error")
                + TaskLists.word(" with payload ", query.payload())
                + TaskLists.word(" with metadata ", query.metadata())
                + TaskLists.word(" of node ", query.node())
                + TaskLists.word(" of day ", query.day())
                + TaskLists.word(" since ", query.from())
                + TaskLists.word(" until ", query.until());
    }

    /**
     * The jobs that are chosen.
     *
     * @param values of the state and the filters
     * @throws IllegalArgumentException if the values cannot be together
     */
    public static JobQuery query(Values values) {
        JobQuery query = JobQuery.in(JobState.valueOf(values.get(STATE).toUpperCase(Locale.ROOT)));
        query = with(query, values.find(QUEUE), query::queue);
        query = with(query, values.find(KIND), query::kind);
        query = with(query, values.find(KEY), query::key);
        for (String each : Objects.requireNonNullElse(values.find(TAG), List.<String>of())) query = query.tag(each);
        query = with(query, values.find(NODE), query::node);
        query = with(query, values.find(ERROR), query::error);
        String payload = values.find(PAYLOAD);
        query = with(query, payload == null ? null : PayloadText.json(payload), query::payload);
        query = with(query, values.find(METADATA), query::metadata);
        query = with(query, values.find(FROM), query::from);
        query = with(query, values.find(UNTIL), query::until);
        return with(query, values.find(DAY), query::day);
    }

    private static <T> JobQuery with(JobQuery query, @Nullable T value, Function<T, JobQuery> more) {
        return value == null ? query : more.apply(value);
    }

    private static ListPage<JobSummary> jobs(ListCall call) {
        JobOrder order = call.get(SORT, JobOrder.class);
        JobQuery query = query(call.values()).limit(call.limit());
        ListPlace place = call.place();
        JobPage page = call.engine()
                .jobs()
                .search(query.order(place.isBackwards() ? order.opposite() : order)
                        .after(place.start()));
        if (place.isPastFirst(page.jobs(), page.searchedTo() != null)) {
            place = ListPlace.FIRST;
            page = call.engine().jobs().search(query.order(order));
        }
        JobQuery further = page.next();
        JobPage.SearchedTo searched = page.searchedTo();
        return new ListPage<>(
                        place.inOrder(page.jobs()),
                        place.beside(further == null ? null : further.after(), page.first()),
                        Map.of())
                .with(
                        "searched_to",
                        searched == null ? null : searched.time() == null ? searched.job() : searched.time());
    }

    private static ListPage<ErrorGroup> errors(ListCall call) {
        ErrorGroups errors = call.engine().reads().installed().jobs()
                ? call.engine()
                        .reads()
                        .errorGroups(call.get(FAILING).equals("retrying"), call.find(QUEUE), call.find(KIND))
                : ErrorGroups.NONE;
        return ListPage.of(errors.groups())
                .with("of_newest", EngineReads.ERRORS)
                .with("exact", errors.isAll())
                .with("since", errors.since());
    }
}
