package dev.howdah.reach.internal.mail;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.document.TemplateRenderer;
import dev.howdah.reach.internal.secret.JsonKeys;
import dev.howdah.spi.reach.ReachDocument;
import dev.howdah.spi.reach.ReachTemplate;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The input of a mail, with the texts of its template and the documents that it names in their places. Safe for use by many threads. */
final class MailInput {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private final TemplateRenderer renderer;

    MailInput(TemplateRenderer renderer) {
        this.renderer = renderer;
    }

    /** The input as a mail is made of it. */
    String of(Call call) throws ReachFailure, IOException, InterruptedException {
        String input = call.task().input();
        if (!input.stripLeading().startsWith("{")) return input;
        ObjectNode mail;
        try {
            // What is no object of JSON is refused where the mail is made.
            if (!(JSON.readTree(input) instanceof ObjectNode read)) return input;
            mail = read;
        } catch (JsonProcessingException e) {
            return input;
        }
        JsonNode template = mail.remove("template");
        JsonNode versions = mail.remove("versions");
        JsonNode data = mail.remove("data");
        if (template != null)
            fill(
                    call,
                    mail,
                    template.asText(),
                    versions == null ? JsonNodeFactory.instance.objectNode() : versions,
                    data == null ? JsonNodeFactory.instance.objectNode() : data);
        if (mail.get("attach") instanceof ArrayNode attached)
            for (int i = 0; i < attached.size(); i++)
                if (attached.get(i) instanceof ObjectNode each && (each.has("task") || each.has("document")))
                    attached.set(i, file(call, each));
        return mail.toString();
    }

    private void fill(Call call, ObjectNode mail, String name, JsonNode versions, JsonNode data)
            throws ReachFailure, IOException, InterruptedException {
        for (String each : List.of("subject", "text", "html")) {
            JsonNode version = versions.get(each);
            // Which of them there are was looked up when the task was added.
            if (version == null && !versions.isEmpty() || mail.has(each)) continue;
            ReachTemplate template;
            if (version == null) {
                template = found(call, name + "." + each);
                if (template == null) continue;
            } else {
                template = TemplateRenderer.template(call, name + "." + each, version.asInt());
            }
            String text = renderer.text(call, template, data);
            mail.put(each, each.equals("subject") ? text.strip() : text);
        }
    }

    private static @Nullable ReachTemplate found(Call call, String name) throws ReachFailure {
        try {
            return call.task().documents().template(name, null);
        } catch (SQLException e) {
            throw TemplateRenderer.failure(e);
        }
    }

    private static ObjectNode file(Call call, ObjectNode named) throws ReachFailure {
        ReachDocument found;
        String what;
        try {
            JsonKeys.only(named, Set.of("task", "document", "name", "inline"));
            JsonNode task = named.get("task");
            if (task == null) {
                UUID id = UUID.fromString(named.get("document").asText());
                what = "there is no document " + id;
                found = call.task().documents().document(id);
            } else {
                what = "task " + task.asLong() + " has made no document";
                found = call.task().documents().documentOf(task.asLong());
            }
        } catch (IllegalArgumentException e) {
            throw ReachFailure.lasting(
                    Code.INPUT, "the mail cannot be sent: what is attached is not understood: " + e.getMessage());
        } catch (SQLException e) {
            throw TemplateRenderer.failure(e);
        }
        if (found == null)
            throw ReachFailure.lasting(
                    Code.DOCUMENT, what + " that role \"" + call.task().owner() + "\" may use");
        ObjectNode file = JsonNodeFactory.instance.objectNode();
        if (named.has("inline")) file.set("inline", named.get("inline"));
        return file.put("name", named.has("name") ? named.get("name").asText() : found.name())
                .put("type", found.type())
                .put("base64", Base64.getEncoder().encodeToString(found.bytes()));
    }
}
