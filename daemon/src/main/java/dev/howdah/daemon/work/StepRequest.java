package dev.howdah.daemon.work;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.howdah.daemon.console.Json;
import dev.howdah.internal.json.JsonBytes;
import dev.howdah.operations.value.Moments;
import dev.howdah.process.Event;
import dev.howdah.process.Payload;
import dev.howdah.process.ProcessState;
import dev.howdah.process.ProcessTask;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The request to an endpoint about a step: the task and the process, as JSON. */
public final class StepRequest {
    private StepRequest() {}

    static byte[] of(ProcessTask task, ProcessState process) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = Json.to(text)) {
            json.writeStartObject();
            json.writeStringField("namespace", process.namespace());
            json.writeFieldName("task");
            task(json, task);
            json.writeFieldName("process");
            process(json, process, true);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void task(JsonGenerator json, ProcessTask task) throws IOException {
        json.writeStartObject();
        json.writeNumberField("id", task.id());
        json.writeStringField("type", word(task.type()));
        JsonBytes.write(json, "args", task.args().bytes());
        JsonBytes.write(json, "context", task.context().bytes());
        json.writeStringField("scheduled", Moments.text(task.scheduled()));
        json.writeNumberField("attempt", task.attempt());
        json.writeEndObject();
    }

    /** @param asStored whether events stand in the order in which they were asked for; else in that of their ids */
    public static void process(JsonGenerator json, ProcessState process, boolean asStored) throws IOException {
        json.writeStartObject();
        json.writeStringField("id", process.id());
        json.writeStringField("status", word(process.status()));
        json.writeStringField("previousStatus", word(process.previousStatus()));
        json.writeStringField("statusChanged", Moments.text(process.statusChanged()));
        json.writeStringField("created", Moments.text(process.created()));
        if (process.detail() != null) json.writeStringField("detail", process.detail());
        Long corruptedBy = process.corruptedBy();
        if (corruptedBy != null) json.writeNumberField("corruptedBy", corruptedBy);
        time(json, "timer", process.timer());
        JsonBytes.write(json, "auxState", process.auxState().bytes());
        raw(json, "metadata", process.metadata());
        json.writeNumberField("lastEventId", process.lastEventId());
        json.writeArrayFieldStart("history");
        int last = process.history().size() - 1;
        boolean turned = !asStored && process.range().backward();
        for (int i = 0; i <= last; i++) event(json, process.history().get(turned ? last - i : i));
        json.writeEndArray();
        json.writeEndObject();
    }

    public static void event(JsonGenerator json, Event event) throws IOException {
        json.writeStartObject();
        json.writeNumberField("id", event.id());
        json.writeStringField("timestamp", Moments.text(event.timestamp()));
        JsonBytes.write(json, "payload", event.payload().bytes());
        raw(json, "metadata", event.metadata());
        json.writeNumberField("task", event.task());
        json.writeEndObject();
    }

    public static void time(JsonGenerator json, String name, @Nullable Instant time) throws IOException {
        if (time != null) json.writeStringField(name, Moments.text(time));
    }

    private static void raw(JsonGenerator json, String name, @Nullable Payload object) throws IOException {
        if (object == null) return;
        json.writeFieldName(name);
        json.writeRawValue(object.text());
    }

    public static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
