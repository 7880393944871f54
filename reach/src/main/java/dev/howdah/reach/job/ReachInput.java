package dev.howdah.reach.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.internal.http.HttpPost;
import dev.howdah.internal.text.Sha256;
import dev.howdah.job.FatalException;
import dev.howdah.spi.reach.ReachDocument;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A payload in the form of a task.
 *
 * @param remote with its options
 * @param text the input
 * @param identity what tells it from others of the same job
 */
record ReachInput(String remote, String text, String identity) {
    /** Numbers stay as they are written. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private static ReachInput of(String remote, String text, @Nullable String key) {
        return new ReachInput(remote, text, key == null ? text : key);
    }

    /** A request, as the text of one, or as the parts of a form. */
    static ReachInput of(HttpJob request) {
        String url = place("url", request.url(), "#", "https://", "http://");
        boolean form = !request.parts().isEmpty();
        if (form && request.body() != null) throw new FatalException("a request has a body or parts, not both");
        String method = request.method() == null ? request.body() == null && !form ? "GET" : "POST" : request.method();
        if (!method.matches("[A-Z]{1,10}"))
            throw new FatalException("the method has to be such as GET or POST, not \"" + method + "\"");
        Map<String, String> headers = new TreeMap<>(request.headers());
        try {
            headers.forEach(HttpPost::checked);
        } catch (IllegalArgumentException e) {
            throw new FatalException(String.valueOf(e.getMessage()), e);
        }
        String key = request.key();
        if (key != null && !key.matches("[\\x21-\\x7e]{1,200}"))
            throw new FatalException("the key has to be 1 to 200 printable characters of ASCII without blanks");
        String options = options(
                "input",
                form ? "multipart" : "request",
                "answer",
                "json",
                "ok",
                request.ok(),
                "as",
                request.credential(),
                "sign",
                request.sign());
        if (form) return form(request, url + "#" + options, method, headers);
        StringBuilder text =
                new StringBuilder(method).append(' ').append(path(url)).append('\n');
        headers.forEach(
                (name, value) -> text.append(name).append(": ").append(value).append('\n'));
        if (key != null) text.append("Idempotency-Key: ").append(key).append('\n');
        text.append('\n').append(request.body() == null ? "" : request.body());
        return of(url + "#" + options, text.toString(), null);
    }

    /** Its method and headers are options, of which a remote takes 2,000 characters. */
    private static ReachInput form(HttpJob request, String remote, String method, Map<String, String> headers) {
        StringBuilder all = new StringBuilder(remote).append('&').append(options("method", method));
        if (request.key() != null) all.append('&').append(options("key", request.key()));
        headers.forEach((name, value) -> all.append('&').append(options("header", name + ":" + value)));
        ArrayNode parts = JSON.createArrayNode();
        List<UUID> ids = ids(request);
        for (HttpJob.Part each : request.parts()) {
            if ((each.value() == null) == (each.bytes() == null))
                throw new FatalException(
                        "part " + (parts.size() + 1) + " of the form: it has a value or bytes, one of these");
            ObjectNode part = parts.addObject();
            put(part, "name", each.name());
            put(part, "value", each.value());
            if (each.bytes() != null)
                part.put("document", ids.get(parts.size() - 1).toString());
            put(part, "filename", each.filename());
            put(part, "type", each.type());
        }
        return of(all.toString(), parts.toString(), null);
    }

    /** The files of a form, by the names that its input has for them. */
    static Map<UUID, ReachDocument> files(HttpJob request) {
        Map<UUID, ReachDocument> files = new HashMap<>();
        List<UUID> ids = ids(request);
        for (int i = 0; i < ids.size(); i++) {
            HttpJob.Part each = request.parts().get(i);
            byte[] bytes = each.bytes();
            if (bytes != null)
                files.put(
                        ids.get(i), new ReachDocument(String.valueOf(each.name()), "application/octet-stream", bytes));
        }
        return files;
    }

    /** Of the content of the parts, so that the input of another form is another one, and the same in each attempt. */
    private static List<UUID> ids(HttpJob request) {
        List<UUID> ids = new ArrayList<>();
        MessageDigest digest = Sha256.begin();
        for (HttpJob.Part each : request.parts()) {
            digest.update((ids.size() + " ").getBytes(StandardCharsets.US_ASCII));
            ids.add(UUID.nameUUIDFromBytes(digest.digest(each.bytes() == null ? new byte[0] : each.bytes())));
        }
        return ids;
    }

    private static String path(String url) {
        String rest = url.substring(url.indexOf("://") + 3);
        for (int i = 0; i < rest.length(); i++) {
            if (rest.charAt(i) == '/') return rest.substring(i);
            if (rest.charAt(i) == '?') return "/" + rest.substring(i);
        }
        return "/";
    }

    /** The answer to a request, of its text. */
    static HttpAnswer answer(String output) {
        try {
            JsonNode answer = JSON.readTree(output);
            Map<String, List<String>> headers = new TreeMap<>();
            answer.path("headers").fields().forEachRemaining(each -> {
                List<String> values = headers.computeIfAbsent(each.getKey(), name -> new ArrayList<>());
                each.getValue().forEach(value -> values.add(value.asText()));
            });
            JsonNode bytes = answer.get("body_base64");
            return new HttpAnswer(
                    answer.path("status").asInt(),
                    headers,
                    answer.hasNonNull("body") ? answer.get("body").asText() : null,
                    bytes == null ? null : bytes.binaryValue());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A mail, as an object of JSON. */
    static ReachInput of(MailJob mail) {
        String relay = place("relay", mail.relay(), "?#", "smtp://", "smtps://");
        ObjectNode input = JSON.createObjectNode();
        put(input, "from", mail.from());
        list(input, "to", mail.to());
        list(input, "cc", mail.cc());
        list(input, "bcc", mail.bcc());
        put(input, "replyTo", mail.replyTo());
        put(input, "subject", mail.subject());
        put(input, "text", mail.text());
        put(input, "html", mail.html());
        if (!mail.headers().isEmpty()) new TreeMap<>(mail.headers()).forEach(input.putObject("headers")::put);
        if (mail.template() != null) {
            input.put("template", mail.template());
            input.set("data", data(mail.data()));
        }
        if (!mail.attachments().isEmpty()) {
            ArrayNode attached = input.putArray("attach");
            for (MailJob.Attachment each : mail.attachments())
                attached.addObject()
                        .put("name", each.name())
                        .put("type", each.type())
                        .put("base64", each.bytes());
        }
        String options = options("tls", mail.unencrypted() ? "none" : null, "as", mail.credential());
        return of(options.isEmpty() ? relay : relay + "?" + options, input.toString(), mail.key());
    }

    private static void put(ObjectNode input, String name, @Nullable String value) {
        if (value != null) input.put(name, value);
    }

    private static void list(ObjectNode input, String name, List<String> values) {
        if (!values.isEmpty()) values.forEach(input.putArray(name)::add);
    }

    /** A command. */
    static ReachInput of(SshJob command) {
        String host = place("host", command.host(), "?#", "ssh://");
        return of(
                host + "?" + options("as", command.credential(), "device", command.device()), command.command(), null);
    }

    /** A document. */
    static ReachInput of(PdfJob document) {
        ObjectNode input = JSON.createObjectNode().put("template", document.template());
        input.set("data", data(document.data()));
        put(input, "name", document.name());
        put(input, "page", document.page());
        return of("howdah:pdf", input.put("landscape", document.landscape()).toString(), null);
    }

    private static JsonNode data(@Nullable String json) {
        if (json == null) return JSON.createObjectNode();
        try {
            JsonNode data = JSON.readTree(json);
            if (data.isObject()) return data;
        } catch (JsonProcessingException e) {
            // Without its message, which has the text.
        }
        throw new FatalException("the data of a template have to be an object of JSON");
    }

    /** An address of one of these schemes, to which options can be added. */
    private static String place(String name, @Nullable String given, String without, String... schemes) {
        if (given == null) throw new FatalException("the payload has no \"" + name + "\"");
        for (char each : without.toCharArray())
            if (given.indexOf(each) >= 0)
                throw new FatalException("the " + name + " must have no " + each + ": options are keys of the payload");
        for (String each : schemes) if (given.regionMatches(true, 0, each, 0, each.length())) return given;
        throw new FatalException("the " + name + " has to begin with " + String.join(" or ", schemes));
    }

    private static String options(@Nullable String... namesAndValues) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            String value = namesAndValues[i + 1];
            if (value != null)
                all.add(namesAndValues[i] + "="
                        + URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20"));
        }
        return String.join("&", all);
    }
}
