package dev.howdah.daemon.cli.process;

import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Listing;
import dev.howdah.daemon.work.StepRequest;
import dev.howdah.internal.json.JsonBytes;
import dev.howdah.process.Event;
import dev.howdah.process.Payload;
import dev.howdah.process.query.PendingTimer;
import dev.howdah.process.query.ProcessSummary;
import dev.howdah.process.query.TraceEntry;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The columns of the lists of processes, timers, tasks of processes and events. */
final class ProcessListings {
    private static final int SHOWN = 200;

    static final Listing<ProcessSummary> PROCESSES = new Listing<ProcessSummary>()
            .text("id", ProcessSummary::id)
            .text("status", process -> StepRequest.word(process.status()))
            .text("status_changed", ProcessSummary::statusChanged)
            .number("last_event", ProcessSummary::lastEventId)
            .number("queued", ProcessSummary::queued)
            .text("timer", ProcessSummary::timer)
            .text("detail", ProcessSummary::detail)
            .text("previous_status", process -> StepRequest.word(process.previousStatus()))
            .text("created", ProcessSummary::created)
            .wide("last_event timer")
            .more("previous_status created");

    static final Listing<PendingTimer> TIMERS = new Listing<PendingTimer>()
            .text("process", PendingTimer::process)
            .text("type", timer -> timer.removes() ? "remove" : "timeout")
            .text("at", PendingTimer::at)
            .number("attempts", PendingTimer::attempts);

    static final Listing<Event> EVENTS = new Listing<Event>()
            .number("id", Event::id)
            .text("timestamp", Event::timestamp)
            .text("payload", event -> value(event.payload()))
            .shown(event -> text(event.payload()))
            .text("metadata", event -> value(event.metadata()))
            .number("task", Event::task)
            .more("metadata task");

    static final Listing<TraceEntry> TASKS = new Listing<TraceEntry>()
            .number("task", TraceEntry::task)
            .text("type", task -> StepRequest.word(task.type()))
            .text("status", task -> StepRequest.word(task.status()))
            .text("scheduled", TraceEntry::scheduled)
            .text("running", TraceEntry::running)
            .text("finished", TraceEntry::finished)
            .number("attempt", task -> task.retryAttempts() + 1)
            .text("events", task -> task.events().stream().map(EVENTS::fields).toList())
            .shown(task -> task.events().size())
            .text("response", task -> value(task.response()))
            .shown(task -> text(task.response()))
            .text("error", TraceEntry::error)
            .text("args", task -> value(task.args()))
            .text("context", task -> value(task.context()))
            .text("key", TraceEntry::key)
            .wide("scheduled running")
            .more("args context key");

    private ProcessListings() {}

    /** JSON, or an object with the bytes that are none. */
    private static @Nullable Object value(@Nullable Payload payload) {
        if (payload == null || payload.size() == 0) return null;
        String text = JsonBytes.text(payload.bytes());
        return text == null
                ? Map.of("base64", Base64.getEncoder().encodeToString(payload.bytes()))
                : new Json.Document(text);
    }

    /** Bytes for people. */
    static @Nullable String text(@Nullable Payload payload) {
        if (payload == null) return null;
        String text = JsonBytes.text(payload.bytes());
        if (text == null) return payload.toString();
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
    }
}
