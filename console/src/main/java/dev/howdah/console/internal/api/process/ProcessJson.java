package dev.howdah.console.internal.api.process;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.operations.Role;
import dev.howdah.process.Event;
import dev.howdah.process.Payload;
import dev.howdah.process.ProcessState;
import dev.howdah.process.query.NamespaceSummary;
import dev.howdah.process.query.ProcessSummary;
import dev.howdah.process.query.TraceEntry;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Processes as JSON. Immutable and safe for use by many threads. */
public final class ProcessJson {
    private final ApiMask mask;

    ProcessJson(ApiMask mask) {
        this.mask = mask;
    }

    /** A namespace at a glance. */
    public static ObjectNode namespace(NamespaceSummary namespace) {
        ObjectNode json = ApiJson.object();
        json.put("name", namespace.name());
        json.put("outbox", namespace.outbox());
        ApiJson.count(json, "broken", namespace.broken(), NamespaceSummary.COUNTED);
        ApiJson.count(json, "due", namespace.due(), NamespaceSummary.COUNTED);
        ApiJson.count(json, "notices", namespace.notices(), NamespaceSummary.COUNTED);
        ApiJson.count(json, "blocked", namespace.blocked(), NamespaceSummary.COUNTED);
        ApiJson.put(json, "oldest", namespace.oldest());
        return json;
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    ObjectNode listed(ProcessSummary process, Role role) {
        ObjectNode json = ApiJson.object();
        json.put("id", process.id());
        json.put("status", word(process.status()));
        ApiJson.put(json, "status_changed", process.statusChanged());
        ApiJson.put(json, "created", process.created());
        mask.text(json, "detail", process.detail(), role);
        ApiJson.put(json, "last_event", process.lastEventId());
        ApiJson.put(json, "queued", process.queued());
        ApiJson.put(json, "timer", process.timer());
        return json;
    }

    ObjectNode whole(ProcessState process, Role role) {
        ObjectNode json = ApiJson.object();
        json.put("namespace", process.namespace());
        json.put("id", process.id());
        json.put("status", word(process.status()));
        json.put("previous_status", word(process.previousStatus()));
        ApiJson.put(json, "status_changed", process.statusChanged());
        ApiJson.put(json, "created", process.created());
        mask.text(json, "detail", process.detail(), role);
        ApiJson.put(json, "corrupted_by", process.corruptedBy());
        payload(json, "aux_state", process.auxState(), role);
        payload(json, "metadata", process.metadata(), role);
        ApiJson.put(json, "last_event", process.lastEventId());
        ApiJson.put(json, "timer", process.timer());
        ArrayNode history = json.putArray("history");
        for (Event each : process.history()) {
            ObjectNode event = history.addObject();
            ApiJson.put(event, "id", each.id());
            ApiJson.put(event, "timestamp", each.timestamp());
            ApiJson.put(event, "task", each.task());
            payload(event, "payload", each.payload(), role);
            payload(event, "metadata", each.metadata(), role);
        }
        return json;
    }

    ObjectNode step(TraceEntry task, Role role) {
        ObjectNode json = ApiJson.object();
        ApiJson.put(json, "task", task.task());
        json.put("type", word(task.type()));
        json.put("status", word(task.status()));
        ApiJson.put(json, "scheduled", task.scheduled());
        ApiJson.put(json, "running", task.running());
        ApiJson.put(json, "finished", task.finished());
        ApiJson.put(json, "attempts_before", task.retryAttempts());
        payload(json, "args", task.args(), role);
        payload(json, "response", task.response(), role);
        mask.text(json, "error", task.error(), role);
        return json;
    }

    /** JSON as it is, another text as a string; of other bytes only how many they are. */
    void payload(ObjectNode json, String name, @Nullable Payload payload, Role role) {
        if (payload == null || payload.size() == 0) return;
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(payload.bytes()))
                    .toString();
            mask.stored(json, name, text, role);
        } catch (CharacterCodingException e) {
            json.put(name, payload.size() + " bytes that are no text");
        }
    }
}
