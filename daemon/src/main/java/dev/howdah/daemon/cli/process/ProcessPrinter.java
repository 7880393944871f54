package dev.howdah.daemon.cli.process;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.howdah.daemon.console.AlignedTable;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Times;
import dev.howdah.daemon.work.StepRequest;
import dev.howdah.internal.error.PlainText;
import dev.howdah.internal.json.JsonBytes;
import dev.howdah.process.Event;
import dev.howdah.process.Payload;
import dev.howdah.process.ProcessState;
import dev.howdah.process.query.PendingTimer;
import dev.howdah.process.query.ProcessSummary;
import dev.howdah.process.query.TraceEntry;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints what is known of processes: for people, or as JSON. */
final class ProcessPrinter {
    private static final int SHOWN = 200;

    private final PrintStream out;
    private final boolean json;

    ProcessPrinter(PrintStream out, boolean json) {
        this.out = out;
        this.json = json;
    }

    /** Writes fields of an object. */
    private interface Fields {
        void write(JsonGenerator json) throws IOException;
    }

    private void object(Fields fields) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = Json.to(text)) {
            generator.writeStartObject();
            fields.write(generator);
            generator.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.println(text);
    }

    /** What a step has answered. */
    void answer(Payload answer) {
        if (json) object(generator -> JsonBytes.write(generator, "response", answer.bytes()));
        else out.println(text(answer));
    }

    /** The result of a request without an answer. */
    void done(String what) {
        if (json) out.println(Json.line(Map.of(what, true)));
        else out.println(what);
    }

    void state(ProcessState process) {
        if (json) {
            StringWriter text = new StringWriter();
            try (JsonGenerator generator = Json.to(text)) {
                StepRequest.process(generator, process, false);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            out.println(text);
            return;
        }
        line("id", process.id());
        line("status", StepRequest.word(process.status()) + ", since " + Times.local(process.statusChanged()));
        line("created", Times.local(process.created()));
        line("detail", process.detail());
        line("timer", time(process.timer()));
        line("state", process.auxState().size() == 0 ? null : text(process.auxState()));
        line("metadata", process.metadata() == null ? null : text(process.metadata()));
        line("events", Long.toString(process.lastEventId()));
        if (process.history().isEmpty()) return;
        out.println();
        AlignedTable table = table("event+", "time", "payload");
        List<Event> events = new ArrayList<>(process.history());
        if (process.range().backward()) Collections.reverse(events);
        for (Event each : events)
            table.row(Arrays.asList(Long.toString(each.id()), Times.local(each.timestamp()), text(each.payload())));
        table.end();
    }

    private void line(String name, @Nullable String value) {
        if (value != null) out.printf("%-8s %s%n", name, PlainText.of(value).replace("\n", "\n         "));
    }

    private static @Nullable String time(@Nullable Instant time) {
        return time == null ? null : Times.local(time);
    }

    /** Bytes for people. */
    private static String text(Payload payload) {
        String text = JsonBytes.text(payload.bytes());
        if (text == null) return payload.toString();
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
    }

    /** @param names those with a plus behind them stand at the right */
    private AlignedTable table(String... names) {
        List<AlignedTable.Column> columns = new ArrayList<>();
        for (String each : names) columns.add(new AlignedTable.Column(each.replace("+", ""), each.endsWith("+")));
        return AlignedTable.ofList(out, columns);
    }

    void list(List<ProcessSummary> processes) {
        if (json) {
            for (ProcessSummary each : processes)
                object(generator -> {
                    generator.writeStringField("id", each.id());
                    generator.writeStringField("status", StepRequest.word(each.status()));
                    generator.writeStringField("previousStatus", StepRequest.word(each.previousStatus()));
                    StepRequest.time(generator, "statusChanged", each.statusChanged());
                    StepRequest.time(generator, "created", each.created());
                    if (each.detail() != null) generator.writeStringField("detail", each.detail());
                    generator.writeNumberField("lastEventId", each.lastEventId());
                    generator.writeNumberField("queued", each.queued());
                    StepRequest.time(generator, "timer", each.timer());
                });
            return;
        }
        AlignedTable table = table("id", "status", "since", "events+", "calls+", "timer", "detail");
        for (ProcessSummary each : processes)
            table.row(Arrays.asList(
                    each.id(),
                    StepRequest.word(each.status()),
                    Times.local(each.statusChanged()),
                    Long.toString(each.lastEventId()),
                    Integer.toString(each.queued()),
                    time(each.timer()),
                    each.detail()));
        table.end();
    }

    void timers(List<PendingTimer> timers) {
        if (json) {
            for (PendingTimer each : timers)
                object(generator -> {
                    generator.writeStringField("process", each.process());
                    generator.writeStringField("type", type(each));
                    StepRequest.time(generator, "at", each.at());
                    generator.writeNumberField("attempts", each.attempts());
                });
            return;
        }
        AlignedTable table = table("process", "type", "at", "attempts+");
        for (PendingTimer each : timers)
            table.row(Arrays.asList(
                    each.process(), type(each), Times.local(each.at()), Integer.toString(each.attempts())));
        table.end();
    }

    private static String type(PendingTimer timer) {
        return timer.removes() ? "remove" : "timeout";
    }

    void trace(List<TraceEntry> units) {
        if (json) {
            for (TraceEntry each : units) object(generator -> unit(generator, each));
            return;
        }
        AlignedTable table =
                table("task+", "type", "status", "scheduled", "running", "finished", "attempt+", "events+", "answer");
        for (TraceEntry each : units)
            table.row(Arrays.asList(
                    Long.toString(each.task()),
                    StepRequest.word(each.type()),
                    StepRequest.word(each.status()),
                    Times.local(each.scheduled()),
                    time(each.running()),
                    time(each.finished()),
                    Integer.toString(each.retryAttempts() + 1),
                    Integer.toString(each.events().size()),
                    answer(each)));
        table.end();
    }

    private static @Nullable String answer(TraceEntry unit) {
        if (unit.error() != null) return unit.error();
        Payload response = unit.response();
        return response == null ? null : text(response);
    }

    private static void unit(JsonGenerator json, TraceEntry unit) throws IOException {
        json.writeNumberField("task", unit.task());
        json.writeStringField("type", StepRequest.word(unit.type()));
        json.writeStringField("status", StepRequest.word(unit.status()));
        StepRequest.time(json, "scheduled", unit.scheduled());
        StepRequest.time(json, "running", unit.running());
        StepRequest.time(json, "finished", unit.finished());
        JsonBytes.write(json, "args", unit.args().bytes());
        JsonBytes.write(json, "context", unit.context().bytes());
        if (unit.key() != null) json.writeStringField("key", unit.key());
        Payload response = unit.response();
        if (response != null) JsonBytes.write(json, "response", response.bytes());
        if (unit.error() != null) json.writeStringField("error", unit.error());
        json.writeNumberField("attempt", unit.retryAttempts() + 1);
        json.writeArrayFieldStart("events");
        for (Event each : unit.events()) StepRequest.event(json, each);
        json.writeEndArray();
    }
}
