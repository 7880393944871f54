package dev.howdah.console.internal.api.job;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.Role;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.queue.LimitFields;
import dev.howdah.job.JobAdmin;
import dev.howdah.job.limit.JobLimits;
import dev.howdah.job.limit.LimitSetting;
import java.util.List;
import java.util.function.BiConsumer;

/** {@code /queues/{queue}/limits} and what changes them; retries of a queue that run now. Safe for use by many threads. */
public final class QueueRoutes {
    private static final Field KIND = Field.maybe("kind", FieldType.TEXT, "for the jobs of this kind");
    private static final Field GROUP = Field.maybe("group", FieldType.TEXT, "for the jobs of this group");
    private static final Field EACH_GROUP =
            Field.maybe("each_group", FieldType.BOOLEAN, "for each group that has no such limit of its own");
    private static final Field EACH_NODE =
            Field.maybe("each_node", FieldType.BOOLEAN, "on each node, not on all together");

    private static final Shape CONCURRENCY = Shape.of(
            "LimitConcurrency",
            Field.of("jobs", FieldType.INTEGER, "how many run at the same time, 1 or more"),
            KIND,
            GROUP,
            EACH_GROUP,
            EACH_NODE);

    private static final Shape RATE = Shape.of(
            "LimitRate",
            Field.of("jobs", FieldType.INTEGER, "how many begin within the period, 1 to 1,000,000"),
            Field.of("period", FieldType.DURATION, "10 milliseconds to 366 days"),
            Field.maybe("burst", FieldType.INTEGER, "how many begin at once; all unless given"),
            KIND,
            GROUP,
            EACH_GROUP);

    private static final Shape SHARE = Shape.of(
            "LimitShare",
            Field.of("group", FieldType.TEXT, "whose share it is"),
            Field.of("share", FieldType.NUMBER, "0.001 to 1000; that of other groups is 1"));

    private static final Shape AGEING = Shape.of(
            "LimitAgeing",
            Field.of(
                    "every",
                    FieldType.DURATION,
                    "how long a job waits for each step of priority, 1 second to 366 days"),
            Field.maybe("most", FieldType.INTEGER, "by how much it rises at most, 1 to 200; 10 unless given"));

    private static final Shape REMOVE = Shape.of(
            "RemoveLimit",
            Field.of("setting", FieldType.TEXT, "concurrency, rate, share or ageing"),
            KIND,
            GROUP,
            EACH_GROUP,
            EACH_NODE,
            Field.maybe("period", FieldType.DURATION, "only the rate with this period; all unless given"));

    private static final Shape LIMIT = Shape.of(
            "Limit",
            Field.of("setting", FieldType.TEXT, "concurrency, rate, share or ageing; there may be more"),
            Field.of("value", FieldType.TEXT, "for people, such as 100 in 00:01:00"),
            KIND,
            GROUP,
            Field.of("each_group", FieldType.BOOLEAN, "whether it is for each group that has none of its own"),
            Field.of("each_node", FieldType.BOOLEAN, "whether it is for each node"));

    private static final Shape LIMITS = Shape.of("Limits", Field.many("items", LIMIT, "of the queue; empty: none"));

    private static final Shape RETRIES = Shape.of(
            "RunRetries",
            Field.maybe("error", FieldType.TEXT, "only those with this text in the error of the last attempt"));

    private static final Shape HURRIED =
            Shape.of("HurriedJobs", Field.of("jobs", FieldType.INTEGER, "that are due now"));

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
                queues.change(
                        "limit",
                        "limitQueue",
                        "Limits how many jobs of a queue run at the same time.",
                        CONCURRENCY,
                        LimitFields::setConcurrency),
                queues.change(
                        "rate-limit",
                        "rateLimitQueue",
                        "Limits how many jobs of a queue begin within a period.",
                        RATE,
                        LimitFields::setRate),
                queues.change(
                        "share",
                        "shareQueue",
                        "Sets what a group of a queue gets in proportion to the others.",
                        SHARE,
                        LimitFields::setShare),
                queues.change(
                        "age",
                        "ageQueue",
                        "Lets jobs of a queue rise in priority while they wait.",
                        AGEING,
                        LimitFields::setAgeing),
                queues.change(
                        "remove-limit", "removeLimit", "Removes a limit of a queue.", REMOVE, LimitFields::remove),
                ApiRoute.change(
                        "/queues/{queue}/run-retries-now",
                        "runRetriesNow",
                        Role.OPERATOR,
                        "Makes all jobs of a queue due now that wait for a retry.",
                        RETRIES,
                        200,
                        HURRIED,
                        "jobs.run-retries-now",
                        queues::runRetriesNow));
    }

    private ApiRoute change(
            String verb, String operation, String words, Shape body, BiConsumer<LimitFields, JobLimits> change) {
        return ApiRoute.change(
                "/queues/{queue}/" + verb,
                operation,
                Role.OPERATOR,
                words,
                body,
                200,
                LIMITS,
                "jobs." + verb,
                request -> {
                    change.accept(
                            new LimitFields(request.name("queue"), request::text),
                            data.jobs().limits());
                    return list(request);
                });
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

    private ApiAnswer runRetriesNow(ApiRequest request) {
        JobAdmin jobs = data.jobs();
        String queue = request.name("queue");
        String error = request.text("error");
        long due = error == null ? jobs.runRetriesNow(queue) : jobs.runRetriesNow(queue, error);
        ObjectNode answer = ApiJson.object();
        answer.put("jobs", ApiJson.number(due));
        return ApiAnswer.ok(answer);
    }
}
