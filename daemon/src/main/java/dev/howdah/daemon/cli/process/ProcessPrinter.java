package dev.howdah.daemon.cli.process;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.console.Times;
import dev.howdah.daemon.work.StepRequest;
import dev.howdah.internal.error.PlainText;
import dev.howdah.internal.json.JsonBytes;
import dev.howdah.process.Event;
import dev.howdah.process.Payload;
import dev.howdah.process.ProcessState;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints what is known of processes: for people, or as JSON. */
final class ProcessPrinter {
    private final Terminal terminal;
    private final PrintStream out;
    private final boolean json;

    ProcessPrinter(Terminal terminal, boolean json) {
        this.terminal = terminal;
        this.out = terminal.out();
        this.json = json;
    }

    /** Writes an object. */
    private interface Writer {
        void write(JsonGenerator json) throws IOException;
    }

    private void object(Writer writer) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = Json.to(text)) {
            writer.write(generator);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.println(text);
    }

    /** What a step has answered. */
    void answer(Payload answer) {
        if (json)
            object(generator -> {
                generator.writeStartObject();
                JsonBytes.write(generator, "response", answer.bytes());
                generator.writeEndObject();
            });
        else out.println(ProcessListings.text(answer));
    }

    /** The result of a request without an answer. */
    void done(String what) {
        if (json) out.println(Json.line(Map.of(what, true)));
        else out.println(what);
    }

    void state(ProcessState process) {
        if (json) {
            object(generator -> StepRequest.process(generator, process, false));
            return;
        }
        line("id", process.id());
        line("status", StepRequest.word(process.status()) + ", since " + Times.local(process.statusChanged()));
        line("created", Times.local(process.created()));
        line("detail", process.detail());
        line("timer", time(process.timer()));
        line("state", process.auxState().size() == 0 ? null : ProcessListings.text(process.auxState()));
        line("metadata", process.metadata() == null ? null : ProcessListings.text(process.metadata()));
        line("events", Long.toString(process.lastEventId()));
        if (process.history().isEmpty()) return;
        out.println();
        List<Event> events = new ArrayList<>(process.history());
        if (process.range().backward()) Collections.reverse(events);
        ProcessListings.EVENTS.print(terminal, false, events);
    }

    private void line(String name, @Nullable String value) {
        if (value != null) out.printf("%-8s %s%n", name, PlainText.of(value).replace("\n", "\n         "));
    }

    private static @Nullable String time(@Nullable Instant time) {
        return time == null ? null : Times.local(time);
    }
}
