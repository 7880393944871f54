package dev.howdah.console.internal.api.process;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.operation.ItemJson;
import dev.howdah.operations.Role;
import dev.howdah.operations.listed.ProcessLists;
import dev.howdah.process.Event;
import dev.howdah.process.Payload;
import dev.howdah.process.ProcessState;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Processes as JSON. Immutable and safe for use by many threads. */
public final class ProcessJson {
    private final ApiMask mask;

    ProcessJson(ApiMask mask) {
        this.mask = mask;
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
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
        ItemJson items = new ItemJson(mask, role);
        for (Event each : process.history()) history.add(items.whole(ProcessLists.EVENT, each));
        return json;
    }

    /** JSON as it is, another text as a string; of other bytes only how many they are. */
    void payload(ObjectNode json, String name, @Nullable Payload payload, Role role) {
        mask.stored(json, name, ProcessLists.json(payload), role);
    }
}
