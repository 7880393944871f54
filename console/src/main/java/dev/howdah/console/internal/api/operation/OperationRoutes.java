package dev.howdah.console.internal.api.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.IdempotentRequests;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.job.query.JobSummary;
import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Engine;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.ParameterException;
import dev.howdah.operations.Values;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import dev.howdah.operations.value.ValueType.Form;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The routes of declared operations. */
public final class OperationRoutes {
    private static final Field CHANGED =
            Field.of("changed", FieldType.BOOLEAN, "false: nothing was changed, since it was so before");

    private OperationRoutes() {}

    /** A route for each operation. */
    public static List<ApiRoute> of(Engine engine, IdempotentRequests requests, List<Operation> operations) {
        return operations.stream().map(each -> route(engine, requests, each)).toList();
    }

    private static ApiRoute route(Engine engine, IdempotentRequests requests, Operation operation) {
        String name = operation.id().substring(0, 1).toUpperCase(Locale.ROOT)
                + operation.id().substring(1);
        List<Field> answer = new ArrayList<>(List.of(CHANGED));
        answer.addAll(fields(operation.results()));
        ApiRoute.Builder route = ApiRoute.change(
                        operation.subject().route() + "/" + operation.verb(), operation.id(), operation.help())
                .of(operation)
                .query(fields(operation.subject().beside()))
                .answers(answer.size() == 1 ? new Shape("ChangeResult", answer) : new Shape(name + "Result", answer));
        if (!operation.parameters().isEmpty()) route.takes(new Shape(name, fields(operation.parameters())));
        if (operation.isAddition()) route.keyed();
        if (operation.program() != null) route.alsoFor(operation.program());
        return route.does(request -> answer(engine, requests, operation, request));
    }

    private static List<Field> fields(List<Parameter<?>> parameters) {
        return parameters.stream().map(Field::of).toList();
    }

    /** The key of the object of a request. */
    public static Values key(Operation operation, ApiRequest request) {
        try {
            return Values.read(operation.subject().names(), request::key);
        } catch (ParameterException e) {
            throw ApiProblemException.notFound(String.valueOf(e.getMessage()));
        }
    }

    private static ApiAnswer answer(
            Engine engine, IdempotentRequests requests, Operation operation, ApiRequest request) {
        Values key = key(operation, request);
        Values values;
        try {
            values = operation.read(name -> text(request, operation, name));
        } catch (ParameterException e) {
            throw ApiProblemException.ofField(e.parameter().name(), String.valueOf(e.getMessage()));
        }
        checkOwn(engine, operation, key, request);
        if (!operation.isAddition()) return ApiAnswer.ok(json(operation.run(new OperationCall(engine, key, values))));
        String where = key.texts().values().stream()
                .map(PageRequest::encoded)
                .collect(Collectors.joining("/", operation.audit() + "/", ""));
        return ApiAnswer.ok(requests.once(
                request,
                where,
                transaction -> json(operation.run(new OperationCall(engine, key, values, transaction)))));
    }

    private static void checkOwn(Engine engine, Operation operation, Values key, ApiRequest request) {
        if (!request.caller().role().isProgram()) return;
        Object read = operation.subject().image().read(engine, key);
        request.checkTold(operation.subject().words(key), read instanceof JobSummary job ? job : null);
    }

    private static ObjectNode json(ChangeOutcome outcome) {
        switch (outcome.kind()) {
            case MISSING -> throw ApiProblemException.notFound(outcome.problem());
            case GONE -> throw new ApiProblemException(410, "gone", outcome.sentence());
            case REFUSED -> throw ApiProblemException.conflict(outcome.problem());
            default -> {
                ObjectNode json = ApiJson.object();
                json.put(CHANGED.name(), outcome.kind() == ChangeOutcome.Kind.DONE);
                outcome.results().forEach((parameter, value) -> put(json, parameter, value));
                return json;
            }
        }
    }

    private static @Nullable String text(ApiRequest request, Operation operation, String name) {
        JsonNode value = request.body().get(name);
        boolean json = value != null
                && operation.parameters().stream()
                        .anyMatch(
                                each -> each.name().equals(name) && each.type().form() == Form.JSON);
        return json ? String.valueOf(value) : request.lines(name);
    }

    private static void put(ObjectNode json, Parameter<?> parameter, Object value) {
        switch (parameter.type().form()) {
            case WHOLE -> json.put(parameter.name(), (Integer) value);
            case DECIMAL -> json.put(parameter.name(), (Double) value);
            case FLAG -> json.put(parameter.name(), (Boolean) value);
            case TEXTS -> ((List<?>) value).forEach(json.withArray(parameter.name())::addPOJO);
            default -> json.put(parameter.name(), value.toString());
        }
    }
}
