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
import java.util.List;

/** {@code /tags}. Safe for use by many threads. */
public final class HistoryRoutes {
    private static final Shape TAG = Shape.of(
            "CountedTag",
            Field.of("tag", FieldType.TEXT, "a tag, or the beginning of tags and a star"),
            Field.of("most", FieldType.INTEGER, "how many different tags a star stands for"));

    private static final Shape TAGS = Shape.of("CountedTags", Field.many("items", TAG, "by tag"));

    private final ConsoleData data;

    private HistoryRoutes(ConsoleData data) {
        this.data = data;
    }

    public static List<ApiRoute> of(ConsoleData data) {
        HistoryRoutes history = new HistoryRoutes(data);
        return List.of(ApiRoute.read(
                "/tags", "listCountedTags", "Lists the tags whose jobs are counted.", List.of(), TAGS, history::tags));
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
}
