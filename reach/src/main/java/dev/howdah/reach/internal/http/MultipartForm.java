package dev.howdah.reach.internal.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.howdah.internal.text.Sha256;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.document.DocumentFiles;
import dev.howdah.reach.internal.secret.JsonKeys;
import dev.howdah.spi.reach.ReachDocument;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A form as browsers send it (RFC 7578), of an array of JSON: fields with a value, and documents as files. */
final class MultipartForm {
    private static final Set<String> KEYS = Set.of("name", "value", "document", "task", "filename", "type");
    private static final int MOST_PARTS = 100;
    private static final int LONGEST_NAME = 200;
    private static final int LONGEST_INPUT = 16 << 20;
    private static final String ID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";
    private static final Pattern UNPRINTABLE = Pattern.compile("\\p{Cntrl}|[\\x{80}-\\x{9f}\\x{2028}\\x{2029}]");
    private static final Pattern TYPE =
            Pattern.compile("[A-Za-z0-9.+-]{1,100}/[A-Za-z0-9.+-]{1,100}( ?; ?[A-Za-z0-9-]+=[A-Za-z0-9._-]+){0,5}");
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .build();

    /** @param head its headers, which follow the line of the boundary */
    @SuppressWarnings("ArrayRecordComponent") // of megabytes, and never compared
    private record Part(String head, byte[] bytes) {}

    private MultipartForm() {}

    static RequestBody of(Call call) throws ReachFailure {
        List<Part> parts = new ArrayList<>();
        long size = 0;
        for (JsonNode each : array(call.task().input())) {
            try {
                parts.add(part(call, each));
            } catch (IllegalArgumentException e) {
                throw wrong("part " + (parts.size() + 1) + " of the form: " + e.getMessage());
            }
            size += parts.get(parts.size() - 1).bytes().length;
            if (size > BodyRoom.LARGEST)
                throw wrong("the parts of the form have more than " + (BodyRoom.LARGEST >> 20) + " MiB");
        }
        String boundary = boundary(parts);
        List<byte[]> pieces = new ArrayList<>();
        for (Part each : parts) {
            pieces.add(bytes("--" + boundary + "\r\n" + each.head() + "\r\n"));
            pieces.add(each.bytes());
            pieces.add(bytes("\r\n"));
        }
        pieces.add(bytes("--" + boundary + "--\r\n"));
        return new RequestBody(List.copyOf(pieces), "multipart/form-data; boundary=" + boundary);
    }

    private static JsonNode array(String input) throws ReachFailure {
        if (input.length() > LONGEST_INPUT)
            throw wrong("the form has more than " + (LONGEST_INPUT >> 20) + " MiB of JSON");
        JsonNode read;
        try {
            read = JSON.readTree(input);
        } catch (JsonProcessingException e) {
            throw wrong("with input=multipart the input is an array of JSON, and this is none, at line "
                    + (e.getLocation() == null ? 1 : e.getLocation().getLineNr()));
        }
        if (read == null || !read.isArray() || read.isEmpty())
            throw wrong(
                    "with input=multipart the input is an array of JSON: [{\"name\": \"file\", \"document\": \"UUID\"}]");
        if (read.size() > MOST_PARTS) throw wrong("the form has more than " + MOST_PARTS + " parts");
        return read;
    }

    private static Part part(Call call, JsonNode node) throws ReachFailure {
        JsonKeys.only(node, KEYS);
        String name = line(node, "name");
        if (name == null || name.isEmpty()) throw new IllegalArgumentException("it has no name");
        String value = JsonKeys.text(node, "value");
        ReachDocument document = document(call, node);
        if ((value == null) == (document == null))
            throw new IllegalArgumentException("it has a \"value\", a \"document\" or a \"task\", one of these");
        String filename = line(node, "filename");
        String type = line(node, "type");
        if (document != null) {
            if (filename == null) filename = document.name();
            if (type == null) type = document.type();
        } else if (filename != null && type == null) type = "text/plain; charset=utf-8";
        if (type != null && !TYPE.matcher(type).matches())
            throw new IllegalArgumentException("\"type\" has to be such as application/pdf");
        StringBuilder head = new StringBuilder("Content-Disposition: form-data; name=\"" + quoted(name) + "\"");
        if (filename != null)
            head.append("; filename=\"").append(quoted(filename)).append('"');
        head.append("\r\n");
        if (type != null) head.append("Content-Type: ").append(type).append("\r\n");
        return new Part(head.toString(), value == null && document != null ? document.bytes() : bytes("" + value));
    }

    private static @Nullable ReachDocument document(Call call, JsonNode node) throws ReachFailure {
        String id = JsonKeys.text(node, "document");
        JsonNode task = node.get("task");
        if (id != null && task != null)
            throw new IllegalArgumentException("it has a \"document\" and a \"task\", of which one is enough");
        if (id != null) {
            if (!id.matches(ID)) throw new IllegalArgumentException("\"document\" has to be the id of one, a UUID");
            return DocumentFiles.named(call, "document:" + id);
        }
        if (task == null) return null;
        if (!task.canConvertToLong() || !task.isIntegralNumber() || task.longValue() < 1)
            throw new IllegalArgumentException("\"task\" has to be the id of a task");
        return DocumentFiles.named(call, "task:" + task.longValue());
    }

    private static @Nullable String line(JsonNode node, String key) {
        String text = JsonKeys.text(node, key);
        if (text == null) return null;
        if (UNPRINTABLE.matcher(text).find())
            throw new IllegalArgumentException("\"" + key + "\" has a line break or another control character");
        if (text.length() > LONGEST_NAME)
            throw new IllegalArgumentException("\"" + key + "\" has more than " + LONGEST_NAME + " characters");
        return text;
    }

    /** As browsers do it, in UTF-8. */
    private static String quoted(String text) {
        return UNPRINTABLE.matcher(text).replaceAll("_").replace("\"", "%22");
    }

    /** The same in each attempt, and in no part: it is made of all of them. */
    private static String boundary(List<Part> parts) {
        MessageDigest digest = Sha256.begin();
        for (Part each : parts) {
            digest.update(bytes(each.head() + each.bytes().length + "\n"));
            digest.update(each.bytes());
        }
        return "howdah-" + HexFormat.of().formatHex(digest.digest(), 0, 20);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static ReachFailure wrong(String reason) {
        return ReachFailure.lasting(Code.INPUT, "the request cannot be sent: " + reason);
    }
}
