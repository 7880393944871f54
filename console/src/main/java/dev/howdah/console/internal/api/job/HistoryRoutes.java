package dev.howdah.console.internal.api.job;

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
import dev.howdah.console.internal.view.Texts;
import dev.howdah.job.history.RetentionRule;
import java.util.List;

/** {@code /tags} and {@code /retention}. Safe for use by many threads. */
public final class HistoryRoutes {
    private static final Shape TAG = Shape.of(
            "CountedTag",
            Field.of("tag", FieldType.TEXT, "a tag, or the beginning of tags and a star"),
            Field.of("most", FieldType.INTEGER, "how many different tags a star stands for"));

    private static final Shape TAGS = Shape.of("CountedTags", Field.many("items", TAG, "by tag"));

    private static final Shape RULE = Shape.of(
            "RetentionRule",
            Field.maybe("queue", FieldType.TEXT, "absent: all queues without a rule of their own for that outcome"),
            Field.of("outcome", FieldType.TEXT, "done, failed or cancelled"),
            Field.of("keep", FieldType.DURATION, "how long such jobs are kept from their end on"),
            Field.maybe("archive", FieldType.TEXT, "the table or the function that gets the jobs that are removed"),
            Field.of("removed", FieldType.ID, "jobs that the rule has removed so far"),
            Field.maybe("error", FieldType.TEXT, "why the rule removes nothing at present"));

    private static final Shape RULES = Shape.of("RetentionRules", Field.many("items", RULE, "by queue and outcome"));

    private final ConsoleData data;
    private final ApiMask mask;

    private HistoryRoutes(ConsoleData data, AccessSettings access) {
        this.data = data;
        this.mask = new ApiMask(access);
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access) {
        HistoryRoutes history = new HistoryRoutes(data, access);
        return List.of(
                ApiRoute.read(
                        "/tags",
                        "listCountedTags",
                        "Lists the tags whose jobs are counted.",
                        List.of(),
                        TAGS,
                        history::tags),
                ApiRoute.read(
                        "/retention",
                        "listRetention",
                        "Lists the rules for how long jobs that have ended are kept.",
                        List.of(),
                        RULES,
                        history::rules));
    }

    private ApiAnswer tags(ApiRequest request) {
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        data.jobs()
                .history()
                .countedTags()
                .forEach((tag, most) -> items.addObject().put("tag", tag).put("most", most));
        return ApiAnswer.ok(answer);
    }

    private ApiAnswer rules(ApiRequest request) {
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (RetentionRule each : data.jobs().history().rules()) {
            ObjectNode rule = items.addObject();
            ApiJson.put(rule, "queue", each.queue());
            rule.put("outcome", Texts.word(each.outcome()));
            rule.put("keep", each.keep().toString());
            ApiJson.put(rule, "archive", each.archive());
            ApiJson.put(rule, "removed", each.removed());
            mask.text(rule, "error", each.error(), request.caller().role());
        }
        return ApiAnswer.ok(answer);
    }
}
