package dev.howdah.console.internal.api.operation;

import static dev.howdah.operations.shape.FieldType.ID;
import static dev.howdah.operations.shape.FieldType.INTEGER;
import static dev.howdah.operations.shape.FieldType.TEXT;
import static dev.howdah.operations.shape.FieldType.TIME;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.bulk.BulkRun;
import dev.howdah.operations.Role;
import dev.howdah.operations.list.ListItem;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Changes of many by the API: of those with some ids at once, of all that match in the background. Safe for use by many threads. */
public final class ApiChanges {
    private static final int MOST_IDS = 1_000;

    /** A change in the background. */
    public static final ListItem<BulkRun.Status> CHANGE = ListItem.<BulkRun.Status>of("Change")
            .of("id", ID, "the id of the change", BulkRun.Status::id)
            .of("title", TEXT, "what is changed and how", BulkRun.Status::title)
            .masked()
            .of(
                    "state",
                    TEXT,
                    "waiting, running, stopping, done, stopped or failed; there may be more",
                    BulkRun.Status::word)
            .maybe("expected", INTEGER, "how many were counted; absent: they were too many", BulkRun.Status::expected)
            .of("changed", INTEGER, "how many were changed so far", BulkRun.Status::done)
            .of("unchanged", INTEGER, "how many could not be changed", BulkRun.Status::left)
            .of("created", TIME, "when it was asked for", BulkRun.Status::created)
            .maybe("started", TIME, "when it began", BulkRun.Status::started)
            .maybe("ended", TIME, "when it ended", BulkRun.Status::ended)
            .maybe("error", TEXT, "why it has failed", BulkRun.Status::error)
            .masked();

    /** The same in answers. */
    public static final Shape SHAPE = CHANGE.shape();

    private final AccessSettings access;
    private final ApiMask mask;

    public ApiChanges(AccessSettings access) {
        this.access = access;
        this.mask = new ApiMask(access);
    }

    /** The shape of the answer to a change of those with some ids. */
    public static Shape changed(String name) {
        return Shape.of(
                name,
                Field.of("changed", FieldType.INTEGER, "how many were changed"),
                Field.of("unchanged", FieldType.INTEGER, "how many could not be changed, or are not there"));
    }

    /**
     * The field {@code ids} of a body.
     *
     * @param what they are ids of
     */
    public static List<Long> ids(ApiRequest request, String what) {
        Set<Long> ids = new LinkedHashSet<>();
        for (String each : request.texts("ids")) {
            if (!each.matches("\\d{1,18}"))
                throw ApiProblemException.invalid("ids has ids of " + what + " such as \"42\", not \"" + each + "\"");
            ids.add(Long.valueOf(each));
        }
        if (ids.isEmpty() || ids.size() > MOST_IDS)
            throw ApiProblemException.invalid("ids has " + ids.size() + " ids: it has to be 1 to " + MOST_IDS);
        return List.copyOf(ids);
    }

    /**
     * The field {@code action} of a body.
     *
     * @param many what it is done with
     */
    public static <A> A action(
            ApiRequest request, A[] actions, Function<A, String> word, Function<A, Role> role, String many) {
        String text = String.valueOf(request.text("action"));
        for (A each : actions) {
            if (!word.apply(each).equals(text)) continue;
            Role needed = role.apply(each);
            if (request.caller().role().covers(needed)) return each;
            throw new ApiProblemException(
                    403, "forbidden", "To " + text + " " + many + ", the role " + needed.text() + " is needed.");
        }
        throw ApiProblemException.invalid("action has to be one of "
                + Arrays.stream(actions).map(word).collect(Collectors.joining(", ")) + ", not \"" + text + "\"");
    }

    /** What has become of those with some ids. */
    public static ApiAnswer changed(long changed, int ids) {
        ObjectNode json = ApiJson.object();
        ApiJson.put(json, "changed", ApiJson.number(changed));
        ApiJson.put(json, "unchanged", ApiJson.number(ids - changed));
        return ApiAnswer.ok(json);
    }

    /** Answers that a change has begun. */
    public ApiAnswer begun(@Nullable BulkRun run, Role role) {
        if (run == null)
            throw new ApiProblemException(
                    503,
                    "unavailable",
                    "ten changes wait already: nothing was begun; wait for one of them, or stop it");
        BulkRun.Status status = run.status();
        return new ApiAnswer(
                202,
                json(status, role),
                Map.of("Location", access.base() + "/api/v1/changes/" + status.id()),
                run.ending());
    }

    /** How far a change is. */
    public ObjectNode json(BulkRun.Status run, Role role) {
        return new ItemJson(mask, role).whole(CHANGE, run);
    }
}
