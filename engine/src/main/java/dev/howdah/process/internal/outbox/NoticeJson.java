package dev.howdah.process.internal.outbox;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.howdah.internal.json.JsonBytes;
import dev.howdah.process.notice.Notice;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** A notice as JSON, as Standard Webhooks has it: type, timestamp, data. */
public final class NoticeJson {
    private static final JsonFactory FACTORY = new JsonFactory();

    private NoticeJson() {}

    public static byte[] of(Notice notice) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
            json.writeStartObject();
            json.writeStringField("type", "process." + notice.kind().name().toLowerCase(Locale.ROOT));
            json.writeStringField("timestamp", DateTimeFormatter.ISO_INSTANT.format(notice.at()));
            json.writeObjectFieldStart("data");
            json.writeNumberField("id", notice.id());
            json.writeStringField("namespace", notice.namespace());
            json.writeStringField("process", notice.process());
            Long event = notice.event();
            if (event != null) json.writeNumberField("event", event);
            if (notice.detail() != null) json.writeStringField("detail", notice.detail());
            if (notice.payload() != null)
                JsonBytes.write(json, "payload", notice.payload().bytes());
            if (notice.metadata() != null)
                JsonBytes.write(json, "metadata", notice.metadata().bytes());
            json.writeEndObject();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
