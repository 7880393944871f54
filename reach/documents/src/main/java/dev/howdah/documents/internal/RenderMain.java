package dev.howdah.documents.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.LogManager;
import org.jspecify.annotations.Nullable;

/**
 * Reads requests from standard input, each a length and an object of JSON: {@code kind} ({@code pdf}, {@code html} or {@code text}),
 * {@code body}, {@code others} (templates by name), {@code data}, {@code page} and {@code landscape}. Writes {@code 2} when it is ready, then for each a byte, {@code 0} with
 * the number of pages and the document or {@code 1} with the reason why there is none. Ends with its input. Its arguments are files of fonts.
 */
public final class RenderMain {
    private static final int LONGEST = 64 << 20;

    /** Numbers stay as they are written. */
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private static final TypeReference<Map<String, Object>> DATA = new TypeReference<>() {};

    private static final int READY = 2;

    private final HtmlPdf pdf;

    /** Why no document can be made; null where one can. */
    private final @Nullable RenderException unusable;

    private RenderMain(String[] files) throws IOException {
        List<FontFile> own = new ArrayList<>();
        RenderException wrong = null;
        try {
            for (String each : files) own.add(FontFile.of(Path.of(each)));
        } catch (RenderException e) {
            wrong = e;
        }
        this.unusable = wrong;
        this.pdf = new HtmlPdf(new DocumentFonts(own));
    }

    /** Serves until its input ends. */
    public static void main(String[] arguments) throws IOException {
        DataOutputStream output =
                new DataOutputStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 65_536));
        // What a library prints would break the answers.
        System.setOut(System.err);
        // Of each document, several lines.
        LogManager.getLogManager().reset();
        DataInputStream input = new DataInputStream(new BufferedInputStream(System.in));
        RenderMain renderer = new RenderMain(arguments);
        renderer.warmUp();
        output.writeByte(READY);
        output.flush();
        while (true) {
            int length;
            try {
                length = input.readInt();
            } catch (EOFException e) {
                return;
            }
            if (length < 0 || length > LONGEST) throw new IOException("a request of " + length + " bytes");
            renderer.answer(JSON.readTree(input.readNBytes(length)), output);
            output.flush();
        }
    }

    /** What is loaded with the first document is not counted as time of it. */
    private void warmUp() throws IOException {
        try {
            pdf.of("<p>1</p>", "A4", false);
        } catch (RenderException e) {
            throw new IOException(e);
        }
    }

    private void answer(JsonNode request, DataOutputStream output) throws IOException {
        try {
            HtmlPdf.Pdf made = made(request);
            output.writeByte(0);
            output.writeInt(made.pages());
            output.writeInt(made.bytes().length);
            output.write(made.bytes());
        } catch (RenderException e) {
            refuse(output, String.valueOf(e.getMessage()));
        } catch (StackOverflowError e) {
            refuse(output, "the document is nested too deeply");
        } catch (RuntimeException e) {
            // A library that fails on what it was given; the log of the program has it.
            e.printStackTrace();
            refuse(output, "the document cannot be laid out: " + e.getClass().getSimpleName());
        }
    }

    private static void refuse(DataOutputStream output, String reason) throws IOException {
        byte[] bytes = reason.getBytes(StandardCharsets.UTF_8);
        output.writeByte(1);
        output.writeInt(bytes.length);
        output.write(bytes);
    }

    private HtmlPdf.Pdf made(JsonNode request) throws RenderException, IOException {
        String kind = request.path("kind").asText();
        Map<String, String> others = new TreeMap<>();
        request.path("others")
                .fields()
                .forEachRemaining(
                        each -> others.put(each.getKey(), each.getValue().asText()));
        Map<String, Object> data;
        try {
            data = JSON.convertValue(JSON.readTree(JSON.writeValueAsString(request.path("data"))), DATA);
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw new RenderException("the data have to be an object of JSON");
        }
        String text = new MustacheText(others).fill(request.path("body").asText(), data, !kind.equals("text"));
        if (kind.equals("pdf") && unusable != null) throw unusable;
        return kind.equals("pdf")
                ? pdf.of(
                        text,
                        request.path("page").asText("A4"),
                        request.path("landscape").asBoolean())
                : new HtmlPdf.Pdf(text.getBytes(StandardCharsets.UTF_8), 0);
    }
}
