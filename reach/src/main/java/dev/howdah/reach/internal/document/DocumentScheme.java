package dev.howdah.reach.internal.document;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.call.Scheme;
import dev.howdah.reach.internal.secret.JsonKeys;
import dev.howdah.spi.reach.ReachDocument;
import dev.howdah.spi.reach.ReachTemplate;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Documents: {@code howdah:pdf}, which is kept in the database, and {@code howdah:text}, which becomes output. Nothing is reached. Safe
 * for use by many threads.
 */
public final class DocumentScheme implements Scheme {
    private static final Set<String> FORMS = Set.of("pdf", "text");
    private static final Set<String> KEYS = Set.of("template", "version", "data", "name", "page", "landscape", "keep");

    /** Numbers stay as they are written. */
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private final TemplateRenderer renderer;

    public DocumentScheme(TemplateRenderer renderer) {
        this.renderer = renderer;
    }

    @Override
    public @Nullable String run(Call call) throws ReachFailure, IOException, InterruptedException {
        call.target().onlyOptions();
        if (!FORMS.contains(call.target().host()))
            throw ReachFailure.lasting(Code.ADDRESS, "documents are howdah:pdf or howdah:text, not " + call.target());
        JsonNode input = input(call.task().input());
        String name = JsonKeys.text(input, "template");
        if (name == null) throw ReachFailure.lasting(Code.INPUT, "input names no \"template\"");
        JsonNode version = input.path("version");
        ReachTemplate template = TemplateRenderer.template(call, name, version.isInt() ? version.intValue() : null);
        JsonNode data = input.has("data") ? input.get("data") : JsonNodeFactory.instance.objectNode();
        return call.target().host().equals("pdf") ? pdf(call, input, template, data) : text(call, template, data);
    }

    private static JsonNode input(String text) throws ReachFailure {
        try {
            JsonNode input = JSON.readTree(text);
            JsonKeys.only(input, KEYS);
            return input;
        } catch (StreamConstraintsException e) {
            throw ReachFailure.lasting(
                    Code.INPUT, "the data are too large, or nested too deeply: 1,000 objects or arrays at most");
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw ReachFailure.lasting(
                    Code.INPUT,
                    "input has to be an object of JSON with a \"template\" and its \"data\"",
                    e instanceof IllegalArgumentException ? e.getMessage() : null,
                    null);
        }
    }

    private String text(Call call, ReachTemplate template, JsonNode data)
            throws ReachFailure, IOException, InterruptedException {
        String text = renderer.text(call, template, data);
        if (text.length() > 1 << 20) throw ReachFailure.lasting(Code.RENDERING, "the text is longer than 1 MiB");
        return text;
    }

    private String pdf(Call call, JsonNode input, ReachTemplate template, JsonNode data)
            throws ReachFailure, IOException, InterruptedException {
        JsonNode page = input.path("page");
        String name = input.path("name").asText(template.name() + ".pdf");
        if (!name.matches("[^\\p{Cc}/\\\\]{1,200}"))
            throw ReachFailure.lasting(Code.INPUT, "the name of a document is that of a file, without / and \\");
        RenderProcess.Made made = renderer.pdf(
                call, template, data, page.asText("A4"), input.path("landscape").asBoolean());
        JsonNode keep = input.path("keep");
        Duration kept = keep.isNumber() ? Duration.ofMillis((long) (keep.asDouble() * 1000)) : null;
        try {
            return "document "
                    + call.task()
                            .documents()
                            .add(
                                    new ReachDocument(name, "application/pdf", made.bytes()),
                                    made.pages(),
                                    template,
                                    kept);
        } catch (SQLException e) {
            throw DocumentFailures.of(e);
        }
    }

    @Override
    public void close() {
        // The renderer is that of mails too.
    }
}
