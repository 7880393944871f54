package dev.howdah.process;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A notice as JSON, as Standard Webhooks has it: type, timestamp, data. */
final class NoticeJson {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private NoticeJson() {}

    static byte[] of(Notice notice) {
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
            payload(json, "payload", notice.payload());
            payload(json, "metadata", notice.metadata());
            json.writeEndObject();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** JSON as it is; other bytes in Base64, under another name. */
    private static void payload(JsonGenerator json, String name, @Nullable Payload payload) throws IOException {
        if (payload == null) return;
        String text = text(payload.shared());
        if (text != null && isOneValue(text)) {
            json.writeFieldName(name);
            json.writeRawValue(text);
        } else {
            json.writeFieldName(name + "_base64");
            json.writeBinary(payload.shared());
        }
    }

    private static @Nullable String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static boolean isOneValue(String text) {
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() == null) return false;
            parser.skipChildren();
            return parser.nextToken() == null;
        } catch (JsonProcessingException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
