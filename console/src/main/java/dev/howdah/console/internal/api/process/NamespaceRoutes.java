package dev.howdah.console.internal.api.process;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.process.ProcessException;
import dev.howdah.process.notice.BlockedNotice;
import dev.howdah.process.query.PendingTimer;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** The timers of a namespace and its blocked notices. Safe for use by many threads. */
public final class NamespaceRoutes {
    private static final String PATH = "/namespaces/{namespace}";

    private static final Field LIMIT = Field.maybe("limit", FieldType.INTEGER, "1 to 500; 100 unless given");

    private static final Shape TIMERS = Shape.of(
            "Timers",
            Field.many(
                    "items",
                    Shape.of(
                            "Timer",
                            Field.of("process", FieldType.TEXT, "the id of its process"),
                            Field.of("at", FieldType.TIME, "when it is due"),
                            Field.of("removes", FieldType.BOOLEAN, "whether the process is removed then"),
                            Field.of("attempts", FieldType.INTEGER, "the failed attempts")),
                    "the next first; those of processes that have calls to do are not among them"));

    private static final Shape NOTICES = Shape.of(
            "BlockedNotices",
            Field.many(
                    "items",
                    Shape.of(
                            "BlockedNotice",
                            Field.of("process", FieldType.TEXT, "the id of its process"),
                            Field.of(
                                    "kind",
                                    FieldType.TEXT,
                                    "event, created, failed, repaired or removed; there may be more"),
                            Field.maybe("event", FieldType.ID, "the id of its event"),
                            Field.of("reason", FieldType.TEXT, "why its receiver has refused it, without secrets"),
                            Field.of("since", FieldType.TIME, "when it was refused"),
                            Field.of("behind", FieldType.INTEGER, "later notices of the process that wait for it")),
                    "the oldest first"));

    private final ConsoleData data;
    private final ApiMask mask;

    private NamespaceRoutes(ConsoleData data, AccessSettings access) {
        this.data = data;
        this.mask = new ApiMask(access);
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access) {
        NamespaceRoutes namespaces = new NamespaceRoutes(data, access);
        return List.of(
                ApiRoute.read(
                        PATH + "/timers",
                        "listTimers",
                        "Lists the next timers of a namespace.",
                        List.of(LIMIT),
                        TIMERS,
                        namespaces::timers),
                ApiRoute.read(
                        PATH + "/notices",
                        "listBlockedNotices",
                        "Lists the notices of a namespace that their receiver has refused.",
                        List.of(LIMIT),
                        NOTICES,
                        namespaces::notices));
    }

    private <T> T found(ApiRequest request, String process, Supplier<T> work) {
        try {
            return work.get();
        } catch (ProcessException e) {
            throw ProcessCalls.problem(
                    request.name("namespace"),
                    process,
                    e,
                    mask,
                    request.caller().role());
        }
    }

    private static int limit(ApiRequest request) {
        return request.integerParameter("limit", 100, 1, 500);
    }

    private ApiAnswer timers(ApiRequest request) {
        List<PendingTimer> timers =
                found(request, "", () -> data.processes().timers(request.name("namespace"), limit(request)));
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (PendingTimer each : timers) {
            ObjectNode timer = items.addObject();
            timer.put("process", each.process());
            ApiJson.put(timer, "at", each.at());
            timer.put("removes", each.removes());
            timer.put("attempts", each.attempts());
        }
        return ApiAnswer.ok(answer);
    }

    private ApiAnswer notices(ApiRequest request) {
        List<BlockedNotice> notices =
                found(request, "", () -> data.notices().held(request.name("namespace"), limit(request)));
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (BlockedNotice each : notices) {
            ObjectNode notice = items.addObject();
            notice.put("process", each.process());
            notice.put("kind", each.kind().name().toLowerCase(Locale.ROOT));
            ApiJson.put(notice, "event", each.event());
            mask.text(notice, "reason", each.reason(), request.caller().role());
            ApiJson.put(notice, "since", each.since());
            notice.put("behind", ApiJson.number(each.behind()));
        }
        return ApiAnswer.ok(answer);
    }
}
