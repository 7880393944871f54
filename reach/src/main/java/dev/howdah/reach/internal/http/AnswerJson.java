package dev.howdah.reach.internal.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.howdah.reach.internal.call.AnswerText;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;

/** An answer with status and headers, for SQL: {@code {"status": 201, "headers": {"etag": ["x"]}, "body": "..."}}. */
final class AnswerJson {
    private static final int MOST_OF_HEADERS = 16_384;

    private AnswerJson() {}

    static String of(ClassicHttpResponse response, byte[] body) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartObject();
            json.writeNumberField("status", response.getCode());
            json.writeObjectFieldStart("headers");
            for (Map.Entry<String, List<String>> each : headers(response).entrySet()) {
                json.writeArrayFieldStart(each.getKey());
                for (String value : each.getValue()) json.writeString(value);
                json.writeEndArray();
            }
            json.writeEndObject();
            String said = AnswerText.strictly(body, HttpScheme.charset(response));
            if (said != null) json.writeStringField("body", said);
            else json.writeBinaryField("body_base64", body);
            json.writeEndObject();
        }
        return text.toString();
    }

    private static Map<String, List<String>> headers(ClassicHttpResponse response) {
        Map<String, List<String>> all = new TreeMap<>();
        int size = 0;
        for (Header each : response.getHeaders()) {
            String name = each.getName().toLowerCase(Locale.ROOT);
            String value = String.valueOf(each.getValue()).replaceAll("\\p{Cc}", " ");
            size += name.length() + value.length();
            if (size > MOST_OF_HEADERS) break;
            // A session of somebody is as good as a password.
            all.computeIfAbsent(name, key -> new ArrayList<>()).add(name.startsWith("set-cookie") ? "***" : value);
        }
        return all;
    }
}
