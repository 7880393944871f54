package dev.howdah.operations.listed;

import static dev.howdah.operations.shape.FieldType.BOOLEAN;
import static dev.howdah.operations.shape.FieldType.DURATION;
import static dev.howdah.operations.shape.FieldType.ID;
import static dev.howdah.operations.shape.FieldType.INTEGER;
import static dev.howdah.operations.shape.FieldType.TEXT;
import static dev.howdah.operations.shape.FieldType.TEXTS;
import static dev.howdah.operations.shape.FieldType.TIME;

import dev.howdah.job.history.RetentionRule;
import dev.howdah.job.limit.LimitSetting;
import dev.howdah.job.log.LogReader;
import dev.howdah.job.query.QueueSummary;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.list.BoundedCount;
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListItem;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.value.NameValue;
import java.util.List;
import java.util.Map;

/** Queues, their limits and rules. */
public final class QueueLists {
    private static final Parameter<String> QUEUE = Parameter.of("queue", NameValue.USUAL, "The name of the queue.");

    private static final Parameter<String> ORDER = ListModel.sort(QueueOrder.values());

    private static final Parameter<String> ONLY = Parameter.maybe("queue", NameValue.USUAL, "Only of that queue.");

    public static final ListItem<QueueSummary> QUEUE_ITEM = ListItem.<QueueSummary>of("Queue")
            .of("name", TEXT, "its name", QueueSummary::name)
            .count("due", "jobs that could begin", queue -> counted(queue.due()))
            .count("later", "jobs whose time has not come", queue -> counted(queue.later()))
            .count("failed", "jobs that have failed with their last attempt", queue -> counted(queue.failed()))
            .of("running", INTEGER, "jobs that nodes have claimed, exact", QueueSummary::running)
            .maybe("oldest", TIME, "since when the first of the jobs that could begin waits", QueueSummary::oldest)
            .of("done_last_hour", INTEGER, "as of the last count of the statistics", QueueSummary::done)
            .of("retried_last_hour", INTEGER, "attempts that are followed by another one", QueueSummary::retried)
            .of(
                    "failed_last_hour",
                    INTEGER,
                    "jobs that have failed with their last attempt",
                    QueueSummary::failedLately)
            .maybe("paused", TIME, "since when it is paused; absent: it is not", QueueSummary::paused)
            .maybe("paused_by", TEXT, "the caller or the role that has paused it", QueueSummary::pausedBy)
            .of("paused_kinds", TEXTS, "kinds that are paused by themselves", QueueSummary::pausedKinds)
            .wide("done_last_hour retried_last_hour failed_last_hour paused_by paused_kinds");

    public static final ListModel<QueueSummary> QUEUES = ListModel.of(
                    "listQueues", "/queues", "Lists queues of jobs.", QUEUE_ITEM)
            .command("job queue list")
            .sorted(ORDER)
            .all(call -> call.ofJobs(() -> sorted(call)));

    private static final ListItem<LimitSetting> LIMIT = ListItem.<LimitSetting>of("Limit")
            .of("queue", TEXT, "the queue", limit -> limit.scope().queue())
            .maybe(
                    "kind",
                    TEXT,
                    "for the jobs of this kind",
                    limit -> limit.scope().kind())
            .maybe(
                    "group",
                    TEXT,
                    "for the jobs of this group",
                    limit -> limit.scope().group())
            .of(
                    "each_group",
                    BOOLEAN,
                    "whether it is for each group that has none of its own",
                    limit -> limit.scope().eachGroup())
            .of("each_node", BOOLEAN, "whether it is for each node", LimitSetting::eachNode)
            .of("setting", TEXT, "concurrency, rate, share or ageing; there may be more", LimitSetting::setting)
            .of("value", TEXT, "for people, such as 100 in 00:01:00", LimitSetting::value);

    public static final ListModel<LimitSetting> LIMITS = ListModel.of(
                    "listLimits",
                    "/queues/{queue}/limits",
                    "Lists the limits, rates, shares and the ageing of a queue.",
                    LIMIT)
            .key(QUEUE)
            .order("of the queue; empty: none")
            .all(call -> call.engine().jobs().limits().list().stream()
                    .filter(each -> each.scope().queue().equals(call.key(QUEUE)))
                    .toList());

    public static final ListModel<LimitSetting> ALL_LIMITS = ListModel.of(
                    "listAllLimits",
                    "/limits",
                    "Lists the limits, rates and shares of all queues, and their ageing.",
                    LIMIT)
            .page("AllLimits")
            .command("job limit list")
            .order("by queue, kind, group and setting")
            .filters(ONLY)
            .all(call -> call.engine().jobs().limits().list().stream()
                    .filter(each ->
                            call.find(ONLY) == null || each.scope().queue().equals(call.find(ONLY)))
                    .toList());

    public static final ListModel<LogReader> LOG_READERS = ListModel.of(
                    "listLogReaders",
                    "/log-queues",
                    "Lists the readers of log queues.",
                    ListItem.<LogReader>of("LogReader")
                            .of("queue", TEXT, "the log queue", LogReader::log)
                            .maybe("reader", TEXT, "absent: the first reader, which has no name", LogReader::name)
                            .of("jobs_in", TEXT, "the queue from which nodes take its jobs", LogReader::queue)
                            .of(
                                    "waiting",
                                    ID,
                                    "entries that no node has claimed for it; counted up to a million",
                                    LogReader::waiting)
                            .maybe("oldest", TIME, "when the first of these was added", LogReader::oldest)
                            .of("running", ID, "jobs of it that run, or are claimed", LogReader::running)
                            .of("keep", DURATION, "how long entries stay that all readers have read", LogReader::keep)
                            .of(
                                    "unread",
                                    ID,
                                    "the bytes of the entries that no node has claimed for it",
                                    LogReader::unread)
                            .maybe(
                                    "most_unread",
                                    ID,
                                    "the most bytes that a reader may have to read; absent: no bound",
                                    LogReader::mostUnread))
            .command("job log-queue list")
            .order("by queue, the first reader first")
            .all(call -> call.engine().jobs().logQueues().readers());

    public static final ListModel<Map.Entry<String, Integer>> TAGS = ListModel.of(
                    "listCountedTags",
                    "/tags",
                    "Lists the tags whose jobs are counted.",
                    ListItem.<Map.Entry<String, Integer>>of("CountedTag")
                            .of("tag", TEXT, "a tag, or the beginning of tags and a star", Map.Entry::getKey)
                            .of("most", INTEGER, "how many different tags a star stands for", Map.Entry::getValue))
            .command("job counted-tags")
            .order("by tag")
            .all(call ->
                    List.copyOf(call.engine().jobs().history().countedTags().entrySet()));

    public static final ListModel<RetentionRule> RETENTION = ListModel.of(
                    "listRetention",
                    "/retention",
                    "Lists the rules for how long jobs that have ended are kept.",
                    ListItem.<RetentionRule>of("RetentionRule")
                            .maybe(
                                    "queue",
                                    TEXT,
                                    "absent: all queues without a rule of their own for that outcome",
                                    RetentionRule::queue)
                            .of("outcome", TEXT, "done, failed or cancelled", RetentionRule::outcome)
                            .of("keep", DURATION, "how long such jobs are kept from their end on", RetentionRule::keep)
                            .maybe(
                                    "archive",
                                    TEXT,
                                    "the table or the function that gets the jobs that are removed",
                                    RetentionRule::archive)
                            .of("removed", ID, "jobs that the rule has removed so far", RetentionRule::removed)
                            .maybe("error", TEXT, "why the rule removes nothing at present", RetentionRule::error)
                            .masked())
            .command("job retention list")
            .order("by queue and outcome")
            .all(call -> call.engine().jobs().history().rules());

    private QueueLists() {}

    private static List<QueueSummary> sorted(ListCall call) {
        QueueOrder order = call.get(ORDER, QueueOrder.class);
        return call.engine().jobs().queues().stream()
                .sorted(order.comparator(call.engine().reads().now()))
                .toList();
    }

    private static BoundedCount counted(long jobs) {
        return BoundedCount.upTo(QueueSummary.COUNTED, jobs);
    }
}
