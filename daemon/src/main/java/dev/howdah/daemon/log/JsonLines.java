package dev.howdah.daemon.log;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.howdah.daemon.console.SafeEscapes;
import dev.howdah.internal.error.ErrorText;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import org.slf4j.spi.MDCAdapter;

/** Writes events as JSON objects, one on a line. Safe for use by many threads. */
final class JsonLines implements LogLines {
    private static final JsonFactory JSON = new JsonFactory().setCharacterEscapes(SafeEscapes.INSTANCE);
    /** The members of each object; a value of the context with such a name is left out. */
    private static final Set<String> OWN = Set.of("time", "level", "logger", "thread", "message", "error");

    private final Supplier<PrintStream> out;
    private final MDCAdapter context;

    /** @param context of which the values are members of the object */
    JsonLines(Supplier<PrintStream> out, MDCAdapter context) {
        this.out = out;
        this.context = context;
    }

    @Override
    public void write(Level level, String logger, @Nullable String message, @Nullable Throwable thrown) {
        StringWriter line = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(line)) {
            json.writeStartObject();
            json.writeStringField(
                    "time", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
            json.writeStringField("level", level.name());
            json.writeStringField("logger", logger);
            json.writeStringField("thread", Thread.currentThread().getName());
            json.writeStringField("message", message);
            writeContext(json);
            if (thrown != null)
                json.writeStringField("error", ErrorText.of(thrown).text());
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        // In one call, so that lines of several threads do not mix.
        PrintStream to = out.get();
        to.write(bytes, 0, bytes.length);
        to.flush();
    }

    private void writeContext(JsonGenerator json) throws IOException {
        @Nullable Map<String, String> values = context.getCopyOfContextMap();
        if (values == null) return;
        for (Map.Entry<String, String> each : values.entrySet())
            if (!OWN.contains(each.getKey())) json.writeStringField(each.getKey(), each.getValue());
    }
}
