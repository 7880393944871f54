package dev.howdah.console.internal.api.task;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.task.NewTask;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Reads the task of a body. */
final class NewTaskReader {
    /** Columns whose text is given to PostgreSQL as it is. */
    private static final List<String> AS_SENT = List.of(
            "group",
            "plan",
            "active",
            "max",
            "repeat",
            "zone",
            "attempts",
            "backoff",
            "notify",
            "timeout",
            "remote",
            "data");

    /** Columns that the scheduler writes. */
    private static final List<String> WRITTEN = List.of(
            "id", "state", "parent", "start", "stop", "pid", "output", "error", "retry", "owner_oid", "schedule");

    private NewTaskReader() {}

    /** @throws RuntimeException if a value cannot be */
    static NewTask read(ApiRequest request) {
        String input = String.valueOf(request.text("input"));
        if (input.isBlank()) throw ApiProblemException.ofField("input", "input is empty: a task needs SQL to run");
        NewTask task = NewTask.of(input);
        for (String name : AS_SENT) {
            String text = request.text(name);
            if (text != null) task = task.column(name, text);
        }
        String cron = request.text("cron");
        if (cron != null) task = task.cron(cron);
        if (cron != null && request.text("repeat") != null)
            throw ApiProblemException.invalid("a task has either cron or repeat, not both");
        if (request.body().path("once").asBoolean()) task = task.once();
        if (request.body().has("after")) task = task.after(ids(request.texts("after")));
        return others(task, request.body().path("columns"));
    }

    /** Columns that are to take the defaults of the table. */
    static List<String> defaults(ApiRequest request) {
        List<String> defaults = request.texts("defaults");
        for (String each : defaults)
            if (each.equals("input") || WRITTEN.contains(each) || request.body().has(each))
                throw ApiProblemException.invalid("defaults: " + each
                        + " cannot be among them: it is set by this request, or is written by the scheduler");
        return defaults;
    }

    private static NewTask others(NewTask task, JsonNode columns) {
        NewTask all = task;
        for (Iterator<Map.Entry<String, JsonNode>> each = columns.fields(); each.hasNext(); ) {
            Map.Entry<String, JsonNode> column = each.next();
            String name = column.getKey();
            if (name.isEmpty() || name.indexOf('\0') >= 0)
                throw ApiProblemException.invalid("columns has an empty name, or one with the character 0");
            if (WRITTEN.contains(name))
                throw ApiProblemException.invalid("columns: " + name + " is written by the scheduler");
            if (TaskShapes.NEW.fields().stream().anyMatch(field -> field.name().equals(name)))
                throw ApiProblemException.invalid("columns: " + name + " is a field of its own");
            if (!column.getValue().isTextual() || column.getValue().asText().indexOf('\0') >= 0)
                throw ApiProblemException.invalid(
                        "columns: " + name + " has to be a string without the character 0, as PostgreSQL reads it");
            all = all.column(name, column.getValue().asText());
        }
        return all;
    }

    private static long[] ids(List<String> texts) {
        for (String each : texts)
            if (!each.matches("\\d{1,18}"))
                throw ApiProblemException.invalid("after has ids of tasks such as \"42\", not \"" + each + "\"");
        return texts.stream().mapToLong(Long::parseLong).toArray();
    }
}
