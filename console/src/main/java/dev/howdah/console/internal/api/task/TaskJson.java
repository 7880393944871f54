package dev.howdah.console.internal.api.task;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.operations.Role;
import dev.howdah.task.Task;
import java.time.Instant;
import java.util.List;

/** Tasks as JSON. Immutable and safe for use by many threads. */
final class TaskJson {
    private final ApiMask mask;

    TaskJson(ApiMask mask) {
        this.mask = mask;
    }

    ObjectNode listed(Task task, Role role) {
        ObjectNode json = ApiJson.object();
        ApiJson.put(json, "id", task.id());
        ApiJson.put(json, "state", task.state().name());
        ApiJson.put(json, "group", task.group());
        ApiJson.put(json, "owner", task.owner());
        mask.address(json, "remote", task.remote());
        ApiJson.put(json, "parent", task.parent());
        ApiJson.put(json, "plan", plan(task.plan()));
        ApiJson.put(json, "start", task.start());
        ApiJson.put(json, "stop", task.stop());
        ApiJson.put(json, "active", task.active());
        ApiJson.put(json, "repeat", task.repeat());
        ApiJson.put(json, "cron", task.cron());
        ApiJson.put(json, "zone", task.zone());
        ApiJson.put(json, "attempts", task.attempts());
        ApiJson.put(json, "backoff", task.backoff());
        ApiJson.put(json, "after", task.after());
        ApiJson.put(json, "retry", task.retry());
        ApiJson.put(json, "once", task.once());
        ApiJson.put(json, "notify", task.channel());
        ApiJson.put(json, "timeout", task.timeout());
        ApiJson.put(json, "max", task.max());
        ApiJson.put(json, "pid", task.pid());
        mask.text(json, "data", task.data(), role);
        mask.text(json, "input", task.input(), role);
        mask.text(json, "output", task.output(), role);
        mask.text(json, "error", task.error(), role);
        return json;
    }

    ObjectNode whole(Task task, List<Task> children, Role role) {
        ObjectNode json = listed(task, role);
        ObjectNode columns = json.putObject("columns");
        task.others().forEach((name, value) -> {
            if (value != null) mask.named(columns, name, value.toString(), role);
        });
        ArrayNode array = json.putArray("children");
        for (Task each : children) array.add(listed(each, role));
        return json;
    }

    private static String plan(Instant plan) {
        if (plan.equals(Instant.MAX)) return "infinity";
        return plan.equals(Instant.MIN) ? "-infinity" : plan.toString();
    }
}
