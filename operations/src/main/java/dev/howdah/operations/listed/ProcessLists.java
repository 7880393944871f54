package dev.howdah.operations.listed;

import static dev.howdah.operations.shape.FieldType.BOOLEAN;
import static dev.howdah.operations.shape.FieldType.ID;
import static dev.howdah.operations.shape.FieldType.INTEGER;
import static dev.howdah.operations.shape.FieldType.JSON;
import static dev.howdah.operations.shape.FieldType.TEXT;
import static dev.howdah.operations.shape.FieldType.TIME;

import dev.howdah.operations.Parameter;
import dev.howdah.operations.Values;
import dev.howdah.operations.list.BoundedCount;
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListItem;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.list.ListPage;
import dev.howdah.operations.list.ListPlace;
import dev.howdah.operations.list.MissingObjectException;
import dev.howdah.operations.value.ChoiceValue;
import dev.howdah.operations.value.NameValue;
import dev.howdah.process.Event;
import dev.howdah.process.Payload;
import dev.howdah.process.ProcessException;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.notice.BlockedNotice;
import dev.howdah.process.query.NamespaceSummary;
import dev.howdah.process.query.PendingTimer;
import dev.howdah.process.query.ProcessOrder;
import dev.howdah.process.query.ProcessPage;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.process.query.ProcessSummary;
import dev.howdah.process.query.TraceEntry;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Processes and their namespaces. */
public final class ProcessLists {
    private static final int USUAL_ROWS = 100;
    private static final int MOST_ROWS = 500;

    private static final Parameter<String> NAMESPACE =
            Parameter.of("namespace", NameValue.USUAL, "The namespace of the process.");

    private static final Parameter<String> ID_OF = Parameter.of("id", new NameValue(256), "The id of the process.");

    public static final Parameter<String> STATUS = Parameter.maybe(
            "status",
            new ChoiceValue(Arrays.stream(ProcessStatus.values())
                    .map(ProcessLists::word)
                    .toList()),
            "Only in that status; any unless given.");

    public static final Parameter<String> PREFIX = Parameter.maybe(
            "prefix",
            new NameValue(256),
            "Only ids that begin so; a page looks at 20,000 processes, and may be short or empty though it has a next.");

    /** What processes of a namespace are chosen by. */
    public static final List<Parameter<?>> CHOSEN = List.of(STATUS, PREFIX);

    private static final Parameter<String> SORT = ListModel.sort(ProcessOrder.values());

    public static final ListItem<NamespaceSummary> NAMESPACE_ITEM = ListItem.<NamespaceSummary>of("Namespace")
            .of("name", TEXT, "its name", NamespaceSummary::name)
            .of("outbox", BOOLEAN, "whether its notices are published", NamespaceSummary::outbox)
            .count("broken", "processes in status error", namespace -> counted(namespace.broken()))
            .count("due", "processes with a step that could begin", namespace -> counted(namespace.due()))
            .count("notices", "notices that wait to be published", namespace -> counted(namespace.notices()))
            .count("blocked", "processes whose notice was refused", namespace -> counted(namespace.blocked()))
            .maybe(
                    "oldest",
                    TIME,
                    "since when the first of the steps that could begin waits",
                    NamespaceSummary::oldest);

    public static final ListModel<NamespaceSummary> NAMESPACES = ListModel.of(
                    "listNamespaces", "/namespaces", "Lists namespaces of processes.", NAMESPACE_ITEM)
            .command("process namespaces")
            .all(call -> call.engine().reads().installed().processes()
                    ? call.engine().processes().namespaces()
                    : List.of());

    public static final ListItem<ProcessSummary> LISTED = ListItem.<ProcessSummary>of("ListedProcess")
            .of("id", TEXT, "the id of the process", ProcessSummary::id)
            .of("status", TEXT, "init, running or error; there may be more", process -> word(process.status()))
            .of("previous_status", TEXT, "the one before", process -> word(process.previousStatus()))
            .of("status_changed", TIME, "since when it has that status", ProcessSummary::statusChanged)
            .of("created", TIME, "when it was started", ProcessSummary::created)
            .maybe("detail", TEXT, "why it is in error, without secrets", ProcessSummary::detail)
            .masked()
            .of("last_event", ID, "the id of its last event; 0: it has none", ProcessSummary::lastEventId)
            .of("queued", INTEGER, "the calls that wait or run", ProcessSummary::queued)
            .maybe("timer", TIME, "when its timer is due", ProcessSummary::timer)
            .wide("detail queued")
            .more("previous_status created");

    public static final ListModel<ProcessSummary> PROCESSES = ListModel.of(
                    "listProcesses", "/processes/{namespace}", "Lists processes of a namespace.", LISTED)
            .page("ProcessPage")
            .command("process list")
            .key(NAMESPACE)
            .filters(STATUS, PREFIX)
            .sorted(SORT)
            .searched(ProcessLists::processes);

    public static final ListItem<Event> EVENT = ListItem.<Event>of("ProcessEvent")
            .of("id", ID, "of the event in its process", Event::id)
            .of("timestamp", TIME, "its time", Event::timestamp)
            .of("task", ID, "the task whose step has added it", Event::task)
            .maybe("payload", JSON, "without secrets", event -> json(event.payload()))
            .masked()
            .maybe("metadata", JSON, "without secrets", event -> json(event.metadata()))
            .masked();

    public static final ListItem<TraceEntry> STEP = ListItem.<TraceEntry>of("ProcessTask")
            .of("task", ID, "the id of the task", TraceEntry::task)
            .of(
                    "type",
                    TEXT,
                    "init, call, notify, timeout, repair or remove; there may be more",
                    step -> word(step.type()))
            .of("status", TEXT, "of the task", step -> word(step.status()))
            .of("scheduled", TIME, "when it was accepted, or is due", TraceEntry::scheduled)
            .maybe("running", TIME, "when it has begun", TraceEntry::running)
            .maybe("finished", TIME, "when it has ended", TraceEntry::finished)
            .of("attempts_before", INTEGER, "how many attempts there were before", TraceEntry::retryAttempts)
            .maybe("args", JSON, "what was asked, without secrets", step -> json(step.args()))
            .masked()
            .maybe("response", JSON, "its answer, without secrets", step -> json(step.response()))
            .masked()
            .maybe("error", TEXT, "the error that is its answer, without secrets", TraceEntry::error)
            .masked()
            .maybe("context", JSON, "what was passed on with it, without secrets", step -> json(step.context()))
            .masked()
            .maybe("key", TEXT, "its idempotency key", TraceEntry::key)
            .many("events", EVENT, "those that its step has added; not in lists of the API", TraceEntry::events)
            .wide("attempts_before args response")
            .more("context key")
            .detail("events");

    public static final ListModel<TraceEntry> TRACE = ListModel.of(
                    "traceProcess", "/processes/{namespace}/{id}/trace", "Lists the newest tasks of a process.", STEP)
            .page("ProcessTrace")
            .key(NAMESPACE, ID_OF)
            .order("the newest tasks: those that have run in order, then those that have not")
            .limit(50, MOST_ROWS)
            .all(call -> found(
                    call, () -> call.engine().processes().trace(call.key(NAMESPACE), call.key(ID_OF), call.limit())));

    public static final ListModel<PendingTimer> TIMERS = ListModel.of(
                    "listTimers",
                    "/namespaces/{namespace}/timers",
                    "Lists the next timers of a namespace.",
                    ListItem.<PendingTimer>of("Timer")
                            .of("process", TEXT, "the id of its process", PendingTimer::process)
                            .of("at", TIME, "when it is due", PendingTimer::at)
                            .of("removes", BOOLEAN, "whether the process is removed then", PendingTimer::removes)
                            .of("attempts", INTEGER, "the failed attempts", PendingTimer::attempts))
            .key(NAMESPACE)
            .command("process timers")
            .order("the next first; those of processes that have calls to do are not among them")
            .limit(USUAL_ROWS, MOST_ROWS)
            .all(call -> found(call, () -> call.engine().processes().timers(call.key(NAMESPACE), call.limit())));

    public static final ListModel<BlockedNotice> NOTICES = ListModel.of(
                    "listBlockedNotices",
                    "/namespaces/{namespace}/notices",
                    "Lists the notices of a namespace that their receiver has refused.",
                    ListItem.<BlockedNotice>of("BlockedNotice")
                            .of("process", TEXT, "the id of its process", BlockedNotice::process)
                            .of(
                                    "kind",
                                    TEXT,
                                    "event, created, failed, repaired or removed; there may be more",
                                    BlockedNotice::kind)
                            .maybe("event", ID, "the id of its event", BlockedNotice::event)
                            .of(
                                    "reason",
                                    TEXT,
                                    "why its receiver has refused it, without secrets",
                                    BlockedNotice::reason)
                            .masked()
                            .of("since", TIME, "when it was refused", BlockedNotice::since)
                            .of(
                                    "behind",
                                    INTEGER,
                                    "later notices of the process that wait for it",
                                    BlockedNotice::behind))
            .key(NAMESPACE)
            .command("process notices")
            .order("the oldest first")
            .limit(USUAL_ROWS, MOST_ROWS)
            .all(call -> found(call, () -> call.engine().notices().held(call.key(NAMESPACE), call.limit())));

    private ProcessLists() {}

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static BoundedCount counted(long number) {
        return BoundedCount.upTo(NamespaceSummary.COUNTED, number);
    }

    /** JSON as it is, another text as it is; of other bytes only how many they are. */
    public static @Nullable String json(@Nullable Payload payload) {
        if (payload == null || payload.size() == 0) return null;
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(payload.bytes()))
                    .toString();
        } catch (CharacterCodingException e) {
            return payload.size() + " bytes that are no text";
        }
    }

    /** Reads, and says which namespace or process does not exist. */
    private static <T> T found(ListCall call, Supplier<T> read) {
        try {
            return read.get();
        } catch (ProcessException e) {
            String namespace = call.key(NAMESPACE);
            throw switch (e.reason()) {
                case NAMESPACE_NOT_FOUND -> new MissingObjectException("there is no namespace \"" + namespace + "\"");
                case PROCESS_NOT_FOUND ->
                    new MissingObjectException("there is no process \"" + call.key(ID_OF) + "\" in namespace \""
                            + namespace + "\", or it was removed");
                default -> e;
            };
        }
    }

    /** The processes that are chosen. */
    public static ProcessQuery query(String namespace, Values values) {
        String status = values.find(STATUS);
        String prefix = values.find(PREFIX);
        ProcessQuery query = ProcessQuery.of(namespace)
                .status(status == null ? null : ProcessStatus.valueOf(status.toUpperCase(Locale.ROOT)));
        return prefix == null ? query : query.prefix(prefix);
    }

    private static ListPage<ProcessSummary> processes(ListCall call) {
        ProcessOrder order = call.get(SORT, ProcessOrder.class);
        ProcessQuery asked =
                query(call.key(NAMESPACE), call.values()).limit(call.limit()).order(order);
        ListPlace place = call.place();
        ProcessQuery at = place.isBackwards() ? asked.order(order.opposite()) : asked;
        String start = place.start();
        ProcessQuery read = start == null ? at : at.after(start);
        ProcessPage page = found(call, () -> call.engine().processes().page(read));
        if (place.isPastFirst(page.processes(), page.isSearched())) {
            place = ListPlace.FIRST;
            page = found(call, () -> call.engine().processes().page(asked));
        }
        ProcessQuery further = page.next();
        return new ListPage<>(
                place.inOrder(page.processes()),
                place.beside(further == null ? null : further.after(), page.first()),
                Map.of());
    }
}
