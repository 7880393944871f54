package dev.howdah.reach.internal.document;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.internal.run.Threads;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.keep.ConnectionUse;
import dev.howdah.reach.internal.keep.KeptConnections;
import dev.howdah.spi.reach.ReachTemplate;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Fills templates, in processes of their own: one for each processor at once, kept for a minute for the next task of the same owner. A run
 * that computes longer than 10 s ends with its process. Safe for use by many threads.
 */
public final class TemplateRenderer implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final long LOOK_MILLIS = 250;
    private static final Duration KEPT = Duration.ofSeconds(60);
    private static final int DEEPEST = 8;
    private static final int MOST_OTHERS = 64;
    private static final Pattern OTHER = Pattern.compile("\\{\\{>\\s*([^\\s{}]+)\\s*}}");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final int processors = Runtime.getRuntime().availableProcessors();
    private final Semaphore room = new Semaphore(processors, true);
    private final KeptConnections<RenderProcess> kept =
            new KeptConnections<>("render", KEPT, processors, RenderProcess::isAlive, RenderProcess::end);
    private final LayoutLibrary library = new LayoutLibrary();
    private final Supplier<@Nullable Path> fonts;
    private final ScheduledExecutorService clock = Threads.clock("howdah-render-limit", 1);

    /** @param fonts the folder of the fonts of the administrator, asked for at each document; null: there is none */
    public TemplateRenderer(Supplier<@Nullable Path> fonts) {
        this.fonts = fonts;
    }

    /** What a template is filled to. */
    public enum Form {
        PDF,
        TEXT
    }

    /**
     * The template that a task names.
     *
     * @param version null for the newest
     */
    public static ReachTemplate template(Call call, String name, @Nullable Integer version) throws ReachFailure {
        try {
            ReachTemplate found = call.task().documents().template(name, version);
            if (found != null) return found;
        } catch (SQLException e) {
            throw DocumentFailures.of(e);
        }
        throw ReachFailure.lasting(
                Code.DOCUMENT,
                "there is no template \"" + name + "\"" + (version == null ? "" : " of version " + version)
                        + " for role \"" + call.task().owner() + "\"",
                null,
                "SELECT howdah.template(name, body) makes one; who uses templates needs SELECT on howdah.template.");
    }

    /** What a database says about templates and documents, as the error of a task. */
    public static ReachFailure failure(SQLException e) {
        return DocumentFailures.of(e);
    }

    /** The text of a template. */
    public String text(Call call, ReachTemplate template, JsonNode data)
            throws ReachFailure, IOException, InterruptedException {
        RenderProcess.Made made = run(call, template, data, JSON.createObjectNode(), Form.TEXT);
        return new String(made.bytes(), java.nio.charset.StandardCharsets.UTF_8);
    }

    /** The PDF of a template of HTML. */
    RenderProcess.Made pdf(Call call, ReachTemplate template, JsonNode data, String page, boolean landscape)
            throws ReachFailure, IOException, InterruptedException {
        if (!template.kind().equals("html"))
            throw ReachFailure.lasting(Code.DOCUMENT, "the template \"" + template.name() + "\" is no HTML");
        return run(
                call, template, data, JSON.createObjectNode().put("page", page).put("landscape", landscape), Form.PDF);
    }

    private RenderProcess.Made run(Call call, ReachTemplate template, JsonNode data, ObjectNode request, Form form)
            throws ReachFailure, IOException, InterruptedException {
        if (!data.isObject())
            throw ReachFailure.lasting(Code.INPUT, "the data of a template have to be an object of JSON");
        request.put("kind", form == Form.PDF ? "pdf" : template.kind()).put("body", template.body());
        request.set("data", data);
        ObjectNode others = request.putObject("others");
        others(call, template.body()).forEach(others::put);
        byte[] bytes = bytes(request);
        while (!room.tryAcquire(100, TimeUnit.MILLISECONDS))
            if (call.cancellation().isCancelled()) throw new InterruptedException();
        try {
            return run(call, bytes);
        } finally {
            room.release();
        }
    }

    private static byte[] bytes(ObjectNode request) {
        try {
            return JSON.writeValueAsBytes(request);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private RenderProcess.Made run(Call call, byte[] request) throws ReachFailure, IOException, InterruptedException {
        List<String> files = FontFiles.of(fonts.get());
        // Other fonts need another process.
        ConnectionUse use = new ConnectionUse(
                call.task().owner(),
                "howdah",
                String.join(File.pathSeparator, files),
                InetSocketAddress.createUnresolved("", 0),
                null,
                null,
                null);
        try (KeptConnections<RenderProcess>.Lease lease = kept.lease(use, call, onStop -> {
            RenderProcess started = RenderProcess.start(library.classPath(), files);
            onStop.accept(started::end);
            started.awaitReady();
            return started;
        })) {
            RenderProcess process = lease.connection();
            AtomicBoolean late = new AtomicBoolean();
            Duration until = process.computed().plus(LONGEST);
            ScheduledFuture<?> limit = clock.scheduleWithFixedDelay(
                    () -> {
                        if (process.computed().compareTo(until) < 0) return;
                        late.set(true);
                        process.end();
                    },
                    LOOK_MILLIS,
                    LOOK_MILLIS,
                    TimeUnit.MILLISECONDS);
            try {
                RenderProcess.Made made = process.run(request);
                lease.keep();
                return made;
            } catch (ReachFailure e) {
                if (call.cancellation().isCancelled()) throw new InterruptedException();
                if (late.get())
                    throw ReachFailure.lasting(
                            Code.RENDERING,
                            "the document was not made within " + LONGEST.toSeconds() + " s of computing");
                if (process.isAlive()) lease.keep();
                throw e;
            } finally {
                limit.cancel(false);
            }
        }
    }

    /** The templates that a template uses, and those that these use. */
    private static Map<String, String> others(Call call, String body) throws ReachFailure {
        Map<String, String> all = new TreeMap<>();
        others(call, body, all, 1);
        return all;
    }

    private static void others(Call call, String body, Map<String, String> all, int depth) throws ReachFailure {
        Matcher found = OTHER.matcher(body);
        while (found.find()) {
            String name = found.group(1);
            if (all.containsKey(name)) continue;
            if (depth > DEEPEST || all.size() >= MOST_OTHERS)
                throw ReachFailure.lasting(
                        Code.RENDERING,
                        "the template uses more than " + MOST_OTHERS + " others, or more than " + DEEPEST + " deep");
            String other = template(call, name, null).body();
            all.put(name, other);
            others(call, other, all, depth + 1);
        }
    }

    @Override
    public void close() {
        kept.close();
        clock.shutdownNow();
    }
}
