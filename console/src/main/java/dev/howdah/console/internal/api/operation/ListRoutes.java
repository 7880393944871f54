package dev.howdah.console.internal.api.operation;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.access.NeededRole;
import dev.howdah.console.internal.access.RequestGuard;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.operations.Engine;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Role;
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListItem;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.list.ListPage;
import dev.howdah.operations.list.MissingObjectException;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.value.ChoiceValue;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The routes of declared lists. Safe for use by many threads. */
public final class ListRoutes {
    /** The path of files of lists. */
    public static final String FILES = "/files";

    static final Parameter<String> FORMAT = Parameter.preset(
            "format",
            ChoiceValue.of("json", "csv", "lines"),
            "json",
            "csv and lines are all rows that match, up to " + ListFile.MOST
                    + " of them: CSV with the names of the fields first, or a JSON object on a line for each;"
                    + " a file that ends before its end was cut off");

    private final Engine engine;
    private final AccessSettings access;
    private final ApiMask mask;
    private final List<ListModel<?>> lists;

    public ListRoutes(Engine engine, AccessSettings access, List<ListModel<?>> lists) {
        this.engine = engine;
        this.access = access;
        this.mask = new ApiMask(access);
        this.lists = List.copyOf(lists);
    }

    /** A route for each list. */
    public List<ApiRoute> routes() {
        return lists.stream().<ApiRoute>map(this::route).toList();
    }

    /** The files of the lists for people, who have a session of a browser: {@code /files}, and the path of the list. */
    public void addFiles(RoutesConfig to) {
        for (ListModel<?> each : lists)
            RequestGuard.read(
                    to, FILES + each.path(), context -> open(context, file(each)), new NeededRole(each.role(), null));
    }

    private static void open(Context context, ListFile<?> file) throws IOException {
        try {
            file.open(context);
        } catch (ApiProblemException e) {
            throw e.status() == 404
                    ? new NotFoundException(String.valueOf(e.getMessage()))
                    : new BadRequestException(String.valueOf(e.getMessage()));
        }
    }

    private <R> ListFile<R> file(ListModel<R> list) {
        return new ListFile<>(this, list);
    }

    private <R> ApiRoute route(ListModel<R> list) {
        return ApiRoute.read(list.path(), list.id(), list.help())
                .query(query(list))
                .role(list.role())
                .or(file(list))
                .answers(list.shape())
                .does(request -> ApiAnswer.ok(
                        json(list, call(list, request), request.caller().role())));
    }

    private static List<Field> query(ListModel<?> list) {
        List<Field> query = new ArrayList<>();
        Stream.of(list.beside(), list.filters())
                .flatMap(List::stream)
                .map(Field::of)
                .forEach(query::add);
        Parameter<Integer> limit = list.limit();
        if (limit != null) query.add(Field.of(limit));
        if (list.isPaged()) query.addAll(List.of(Field.AFTER, Field.BEFORE));
        query.add(Field.of(FORMAT));
        return query;
    }

    /** @throws ApiProblemException if a value is not possible, or the caller may not search */
    ListCall call(ListModel<?> list, ApiRequest request) {
        ListCall call;
        try {
            call = list.call(engine, request::key, request::parameter);
        } catch (IllegalArgumentException e) {
            throw ApiProblemException.invalid(String.valueOf(e.getMessage()));
        }
        if (list.isSearch(call.values())) mask.checkSearch(request.caller().role());
        return call;
    }

    private <R> ObjectNode json(ListModel<R> list, ListCall call, Role role) {
        ListPage<R> page = read(list, call);
        ItemJson items = items(role);
        ObjectNode answer = ApiJson.object();
        page.facts().forEach((name, value) -> ApiJson.put(answer, name, value));
        ArrayNode rows = answer.putArray("items");
        for (R each : page.rows()) rows.add(items.listed(list.item(), each));
        ApiJson.put(answer, page.beside());
        return answer;
    }

    <R> ListPage<R> read(ListModel<R> list, ListCall call) {
        try {
            return list.read(call);
        } catch (IllegalArgumentException e) {
            throw ApiProblemException.invalid(String.valueOf(e.getMessage()));
        } catch (MissingObjectException e) {
            throw ApiProblemException.notFound(String.valueOf(e.getMessage()));
        }
    }

    ItemJson items(Role role) {
        return new ItemJson(mask, role);
    }

    /** An object as a list has it, with what the list leaves out. */
    public static <R> ObjectNode object(ListItem<R> item, R row, AccessSettings access, ApiRequest request) {
        return new ItemJson(new ApiMask(access), request.caller().role()).whole(item, row);
    }
}
