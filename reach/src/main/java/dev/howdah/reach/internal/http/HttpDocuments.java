package dev.howdah.reach.internal.http;

import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.Target;
import dev.howdah.reach.internal.document.TemplateRenderer;
import dev.howdah.spi.reach.ReachDocument;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.jspecify.annotations.Nullable;

/** Bodies that are documents in the database of the task: an answer that becomes one, and one that is sent. Safe for use by many threads. */
final class HttpDocuments {
    /** So much of an answer becomes a document. */
    static final int LARGEST = 16 << 20;

    /** Answers can be asked for again; what is made of them is kept by their owners. */
    private static final Duration KEPT = Duration.ofDays(7);

    /** So many are in memory at once. */
    private static final int AT_ONCE = 2;

    private static final Pattern REFERENCE = Pattern.compile(
            "document:([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})|task:([1-9][0-9]{0,17})");

    private final Semaphore room = new Semaphore(AT_ONCE, true);

    /** Reads the answer and keeps it; returns the output of the task. */
    String keep(Call call, HttpUriRequestBase request, ClassicHttpResponse response)
            throws ReachFailure, IOException, InterruptedException {
        while (!room.tryAcquire(100, TimeUnit.MILLISECONDS))
            if (call.cancellation().isCancelled()) throw new InterruptedException();
        try {
            byte[] body = HttpScheme.body(request, response, call.target(), LARGEST);
            ReachDocument document = new ReachDocument(name(call.target()), type(response), body);
            return "document " + call.task().documents().add(document, 0, null, KEPT);
        } catch (SQLException e) {
            throw TemplateRenderer.failure(e);
        } finally {
            room.release();
        }
    }

    /** The end of the path, where that is a name of a file. */
    private static String name(Target target) {
        String last = target.path().substring(target.path().lastIndexOf('/') + 1);
        try {
            String name = URLDecoder.decode(last.replace("+", "%2B"), StandardCharsets.UTF_8);
            if (name.matches("[^\\p{Cc}/\\\\]{1,200}") && !name.matches("\\.+") && name.indexOf('\uFFFD') < 0)
                return name;
        } catch (IllegalArgumentException e) {
            // It has a % that begins no byte.
        }
        return "answer";
    }

    private static String type(ClassicHttpResponse response) {
        Header header = response.getFirstHeader("content-type");
        ContentType read = header == null ? null : ContentType.parseLenient(header.getValue());
        String type = read == null ? null : read.getMimeType();
        if (read == null || type == null || !type.matches("[A-Za-z0-9.+-]{1,100}/[A-Za-z0-9.+-]{1,100}"))
            return "application/octet-stream";
        return type
                + (read.getCharset() == null
                        ? ""
                        : "; charset=" + read.getCharset().name());
    }

    /** Gives the request the document that the target names as its body, if it names one. */
    static void send(Call call, HttpUriRequestBase request) throws ReachFailure {
        String named = call.target().option("body");
        if (named == null) return;
        Matcher reference = REFERENCE.matcher(named);
        if (!reference.matches())
            throw ReachFailure.lasting("the option body is document:UUID or task:ID, not \"" + named + "\"");
        ReachDocument found = find(call, reference);
        if (found == null)
            throw ReachFailure.lasting("there is no " + named.replace(":", " ") + " with a document that role \""
                    + call.task().owner() + "\" may use");
        request.setEntity(new ByteArrayEntity(found.bytes(), null));
        if (!request.containsHeader("content-type")) request.setHeader("content-type", found.type());
    }

    private static @Nullable ReachDocument find(Call call, Matcher reference) throws ReachFailure {
        try {
            return reference.group(1) == null
                    ? call.task().documents().documentOf(Long.parseLong(reference.group(2)))
                    : call.task().documents().document(UUID.fromString(reference.group(1)));
        } catch (SQLException e) {
            throw TemplateRenderer.failure(e);
        }
    }
}
