package dev.howdah.console.internal.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import dev.howdah.operations.value.ChoiceValue;
import dev.howdah.operations.value.DecimalValue;
import dev.howdah.operations.value.ManyValue;
import dev.howdah.operations.value.NameValue;
import dev.howdah.operations.value.PeriodValue;
import dev.howdah.operations.value.TextValue;
import dev.howdah.operations.value.TimeValue;
import dev.howdah.operations.value.ValueType;
import dev.howdah.operations.value.WholeValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The OpenAPI document of routes. */
final class OpenApi {
    private static final Shape WRONG = Shape.of(
            "WrongValue",
            Field.of("pointer", FieldType.TEXT, "its JSON pointer, such as /jobs/3/kind"),
            Field.of("detail", FieldType.TEXT, "what is wrong with it"));

    private static final Shape PROBLEM = Shape.of(
            "Problem",
            Field.of("type", FieldType.TEXT, "the kind of problem, such as urn:howdah:problem:not-found"),
            Field.of("title", FieldType.TEXT, "the same in words"),
            Field.of("status", FieldType.INTEGER, "the status of the answer"),
            Field.of("detail", FieldType.TEXT, "what is wrong here, with the value and what would be right"),
            Field.maybe("sqlstate", FieldType.TEXT, "of the error of the database, if it was one"),
            Field.maybe("grant", FieldType.TEXT, "the statement that gives the privilege that is missing"),
            Field.maybe("errors", FieldType.OBJECTS, WRONG, "which values of the body cannot be"));

    private final ObjectNode schemas = ApiJson.object();

    /** Whether shapes stand where they are used. */
    private final boolean isWhole;

    private OpenApi(boolean isWhole) {
        this.isWhole = isWhole;
    }

    static ObjectNode of(List<ApiRoute> routes, String version) {
        return new OpenApi(false).document(routes, version);
    }

    private ObjectNode document(List<ApiRoute> routes, String version) {
        ObjectNode document = ApiJson.object().put("openapi", "3.1.0");
        document.putObject("info")
                .put("title", "Howdah")
                .put("version", version.isEmpty() ? "1" : version)
                .put(
                        "description",
                        "Tasks, jobs and processes of this database: read, add, change, and work jobs in any language.");
        ObjectNode info = document.withObjectProperty("info");
        info.putObject("license").put("name", "Apache 2.0").put("identifier", "Apache-2.0");
        info.putObject("contact").put("name", "Howdah");
        ArrayNode tags = document.putArray("tags");
        routes.stream()
                .map(OpenApi::tag)
                .distinct()
                .sorted()
                .forEach(each -> tags.addObject().put("name", each).put("description", "Paths below /" + each + "."));
        document.putArray("servers").addObject().put("url", ApiServer.BASE);
        document.putArray("security").addObject().putArray("token");
        ObjectNode paths = document.putObject("paths");
        Map<String, ApiRoute> readings = EntityTags.readings(routes);
        for (ApiRoute each : routes)
            paths.withObject(ApiJson.pointer(each.path()))
                    .set(
                            each.method().toLowerCase(java.util.Locale.ROOT),
                            operation(each, readings.containsKey(each.path())));
        ObjectNode components = document.putObject("components");
        refer(PROBLEM);
        components.set("schemas", schemas);
        components
                .putObject("securitySchemes")
                .putObject("token")
                .put("type", "http")
                .put("scheme", "bearer");
        return document;
    }

    /** @param isOfObject whether it changes an object that is read at the path above */
    private ObjectNode operation(ApiRoute route, boolean isOfObject) {
        ObjectNode operation = ApiJson.object()
                .put("operationId", route.operation())
                .put("summary", route.words())
                .put(
                        "description",
                        route.isOpen()
                                ? "Needs no login."
                                : "Needs the role " + route.role().text()
                                        + (route.also() == null
                                                ? "."
                                                : ", or " + route.also().text() + ", for what is its own."));
        operation.putArray("tags").add(tag(route));
        ArrayNode parameters = operation.putArray("parameters");
        for (String each : route.names())
            parameter(
                    parameters,
                    "path",
                    Field.of(each, each.equals("id") ? FieldType.ID : FieldType.TEXT, "of the path"));
        for (Field each : route.query()) parameter(parameters, "query", each);
        String keyWords = route.keyWords();
        if (keyWords != null) parameter(parameters, "header", Field.maybe("Idempotency-Key", FieldType.TEXT, keyWords));
        if (isOfObject)
            parameter(
                    parameters,
                    "header",
                    Field.maybe(
                            "If-Match",
                            FieldType.TEXT,
                            "ETag of the object as it was read: if it has another one now, nothing is changed (412)"));
        if (route.body() != null) {
            ObjectNode body = operation.putObject("requestBody");
            body.put("required", route.body().fields().stream().anyMatch(Field::isRequired));
            content(body, "application/json", route.body());
        }
        ObjectNode answers = operation.putObject("responses");
        ObjectNode good = answers.putObject(Integer.toString(route.status()))
                .put("description", route.method().equals("GET") ? "What was asked for." : "It is done.");
        ApiRoute.Stream stream = route.stream();
        if (stream != null && stream.media().contains("text/event-stream"))
            parameter(
                    parameters,
                    "header",
                    Field.maybe(
                            "Last-Event-ID", FieldType.TEXT, "of the event that was got last: those after it follow"));
        if (route.answer() != null) content(good, "application/json", route.answer());
        if (stream != null) {
            ObjectNode content = good.withObjectProperty("content");
            for (String media : stream.media())
                content.putObject(media).putObject("schema").put("type", "string");
        }
        refused(answers, "401", "There is no token, or one that is not accepted.");
        refused(answers, "403", "The role does not suffice, or a privilege in the database is missing.");
        if (!route.names().isEmpty()) refused(answers, "404", "There is no such object.");
        refused(answers, "409", "What is there forbids it, or the tables of the feature are missing.");
        if (isOfObject) refused(answers, "412", "The object is another one than the one that was read.");
        refused(answers, "422", "A value cannot be; errors says which.");
        refused(answers, "429", "That were too many requests; Retry-After says when to come again.");
        refused(answers, "503", "The database cannot be asked now; Retry-After says when to come again.");
        refused(answers, "default", "It was refused, or has failed.");
        return operation;
    }

    private void refused(ObjectNode answers, String status, String words) {
        content(answers.putObject(status).put("description", words), Problems.TYPE, PROBLEM);
    }

    /** The part of the API that a route belongs to: the first word of its path. */
    private static String tag(ApiRoute route) {
        return route.path().split("/", -1)[1];
    }

    private void content(ObjectNode to, String type, Shape shape) {
        to.withObjectProperty("content").putObject(type).set("schema", refer(shape));
    }

    private void parameter(ArrayNode to, String in, Field field) {
        ObjectNode parameter = to.addObject()
                .put("name", field.name())
                .put("in", in)
                .put("required", in.equals("path") || field.isRequired())
                .put("description", field.words());
        parameter.set("schema", schema(field));
    }

    /** What a route takes in its path, its parameters and its body, without what only files need. */
    static ObjectNode arguments(ApiRoute route) {
        OpenApi whole = new OpenApi(true);
        List<Field> fields = new ArrayList<>();
        for (String each : route.names()) fields.add(Field.of(each, FieldType.TEXT, "the " + each + " of the object"));
        for (Field each : route.query()) if (!each.name().equals("format")) fields.add(each);
        if (route.body() != null) fields.addAll(route.body().fields());
        return whole.object(new Shape(route.operation(), fields)).put("additionalProperties", false);
    }

    private ObjectNode refer(Shape shape) {
        if (isWhole) return object(shape);
        if (!schemas.has(shape.name())) {
            // Before its fields: one of them may be of the same shape.
            ObjectNode schema = schemas.putObject(shape.name());
            schema.setAll(object(shape));
        }
        return ApiJson.object().put("$ref", "#/components/schemas/" + shape.name());
    }

    private ObjectNode object(Shape shape) {
        ObjectNode schema = ApiJson.object().put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = ApiJson.object().arrayNode();
        for (Field each : shape.fields()) {
            properties.set(each.name(), schema(each).put("description", each.words()));
            if (each.isRequired()) required.add(each.name());
        }
        if (!required.isEmpty()) schema.set("required", required);
        return schema;
    }

    private ObjectNode schema(Field field) {
        ObjectNode schema = ApiJson.object();
        Shape shape = field.shape();
        if (field.type() == FieldType.OBJECT && shape != null) return refer(shape);
        if (field.type().type() != null) schema.put("type", field.type().type());
        if (field.type() == FieldType.ID) schema.put("pattern", "^[0-9]{1,19}$");
        else if (field.type().format() != null)
            schema.put("format", field.type().format());
        if (field.type() == FieldType.TEXTS) schema.putObject("items").put("type", "string");
        if (field.possible() != null) bounds(schema, field.possible());
        if (field.type() == FieldType.OBJECTS)
            schema.set("items", shape == null ? ApiJson.object().put("type", "object") : refer(shape));
        return schema;
    }

    /** What values are possible. */
    private static void bounds(ObjectNode schema, ValueType<?> possible) {
        if (possible instanceof ChoiceValue choice) choice.choices().forEach(schema.withArrayProperty("enum")::add);
        else if (possible instanceof WholeValue whole)
            schema.put("minimum", whole.least()).put("maximum", whole.most());
        else if (possible instanceof DecimalValue number)
            schema.put("minimum", number.least()).put("maximum", number.most());
        else if (possible instanceof TextValue text) schema.put("minLength", 1).put("maxLength", text.longest());
        else if (possible instanceof NameValue name) schema.put("maxLength", name.longest());
        else if (possible instanceof ManyValue<?> many) schema.put("maxItems", many.most());
        else if (possible instanceof TimeValue) schema.putArray("examples").add("2026-11-25T14:00:00Z");
        else if (possible instanceof PeriodValue) schema.putArray("examples").add("PT5M");
    }
}
