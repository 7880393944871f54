package dev.howdah.console.internal.api.job;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.job.limit.LimitSetting;
import dev.howdah.job.log.LogReader;
import java.util.List;

/** {@code /queues/{queue}/limits} and {@code /log-queues}. Safe for use by many threads. */
public final class QueueRoutes {
    private static final Field KIND = Field.maybe("kind", FieldType.TEXT, "for the jobs of this kind");
    private static final Field GROUP = Field.maybe("group", FieldType.TEXT, "for the jobs of this group");
    private static final Field EACH_GROUP =
            Field.maybe("each_group", FieldType.BOOLEAN, "for each group that has no such limit of its own");
    private static final Field EACH_NODE =
            Field.maybe("each_node", FieldType.BOOLEAN, "on each node, not on all together");

    private static final Shape LIMIT = Shape.of(
            "Limit",
            Field.of("setting", FieldType.TEXT, "concurrency, rate, share or ageing; there may be more"),
            Field.of("value", FieldType.TEXT, "for people, such as 100 in 00:01:00"),
            KIND,
            GROUP,
            Field.of("each_group", FieldType.BOOLEAN, "whether it is for each group that has none of its own"),
            Field.of("each_node", FieldType.BOOLEAN, "whether it is for each node"));

    private static final Shape LIMITS = Shape.of("Limits", Field.many("items", LIMIT, "of the queue; empty: none"));

    private static final Shape READER = Shape.of(
            "LogReader",
            Field.maybe("name", FieldType.TEXT, "absent: the first reader, which has none"),
            Field.of("jobs_in", FieldType.TEXT, "the queue from which nodes take its jobs"),
            Field.of("waiting", FieldType.ID, "entries that no node has claimed for it; counted up to a million"),
            Field.maybe("oldest", FieldType.TIME, "when the first of these was added"),
            Field.of("running", FieldType.ID, "jobs of it that run, or are claimed"),
            Field.of("unread", FieldType.ID, "the bytes of the entries that no node has claimed for it"));

    private static final Shape LOG_QUEUE = Shape.of(
            "LogQueue",
            Field.of("queue", FieldType.TEXT, "its name"),
            Field.of("keep", FieldType.DURATION, "how long entries stay that all readers have read"),
            Field.maybe("most_unread", FieldType.ID, "the most bytes that a reader may have to read; absent: no bound"),
            Field.many("readers", READER, "the first reader is the first"));

    private static final Shape LOG_QUEUES = Shape.of("LogQueues", Field.many("items", LOG_QUEUE, "by name"));

    private final ConsoleData data;

    private QueueRoutes(ConsoleData data) {
        this.data = data;
    }

    public static List<ApiRoute> of(ConsoleData data) {
        QueueRoutes queues = new QueueRoutes(data);
        return List.of(
                ApiRoute.read(
                        "/queues/{queue}/limits",
                        "listLimits",
                        "Lists the limits, rates, shares and the ageing of a queue.",
                        List.of(),
                        LIMITS,
                        queues::list),
                ApiRoute.read(
                        "/log-queues",
                        "listLogQueues",
                        "Lists log queues and their readers.",
                        List.of(),
                        LOG_QUEUES,
                        queues::logs));
    }

    private ApiAnswer list(ApiRequest request) {
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (LimitSetting each : data.jobs().limits().list()) {
            if (!each.scope().queue().equals(request.name("queue"))) continue;
            ObjectNode limit = items.addObject();
            limit.put("setting", each.setting());
            limit.put("value", each.value());
            ApiJson.put(limit, "kind", each.scope().kind());
            ApiJson.put(limit, "group", each.scope().group());
            limit.put("each_group", each.scope().eachGroup());
            limit.put("each_node", each.eachNode());
        }
        return ApiAnswer.ok(answer);
    }

    private ApiAnswer logs(ApiRequest request) {
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        ArrayNode readers = items;
        String log = null;
        for (LogReader each : data.jobs().logQueues().readers()) {
            if (!each.log().equals(log)) {
                log = each.log();
                ObjectNode queue = items.addObject().put("queue", log);
                queue.put("keep", each.keep().toString());
                ApiJson.put(queue, "most_unread", each.mostUnread());
                readers = queue.putArray("readers");
            }
            ObjectNode reader = readers.addObject();
            ApiJson.put(reader, "name", each.name());
            reader.put("jobs_in", each.queue());
            ApiJson.put(reader, "waiting", each.waiting());
            ApiJson.put(reader, "oldest", each.oldest());
            ApiJson.put(reader, "running", each.running());
            ApiJson.put(reader, "unread", each.unread());
        }
        return ApiAnswer.ok(answer);
    }
}
