package dev.howdah.reach.internal.document;

import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.spi.reach.ReachDocument;
import java.io.IOException;
import java.net.URLConnection;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What is too large or no text for the row of a task: documents in its database. What a task gets becomes one, and one is what it sends. Safe
 * for use by many threads.
 */
public final class DocumentFiles {
    /** So much becomes a document. */
    public static final int LARGEST = 16 << 20;

    /** It can be asked for again; what is made of it is kept by its owner. */
    private static final Duration KEPT = Duration.ofDays(7);

    /** So many are in memory at once. */
    private static final int AT_ONCE = 2;

    private static final Pattern REFERENCE = Pattern.compile(
            "document:([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})|task:([1-9][0-9]{0,17})");

    private final Semaphore room = new Semaphore(AT_ONCE, true);

    /** Reads what a task gets, up to {@link #LARGEST}. */
    @FunctionalInterface
    public interface Source {
        byte[] read() throws ReachFailure, IOException;
    }

    /** Reads it when there is room for it, and keeps it; returns the output of the task. */
    public String keep(Call call, String name, String type, Source source)
            throws ReachFailure, IOException, InterruptedException {
        while (!room.tryAcquire(100, TimeUnit.MILLISECONDS))
            if (call.cancellation().isCancelled()) throw new InterruptedException();
        try {
            byte[] bytes = call.withoutSecret(source.read());
            return "document " + call.task().documents().add(new ReachDocument(name, type, bytes), 0, null, KEPT);
        } catch (SQLException e) {
            throw DocumentFailures.of(e);
        } finally {
            room.release();
        }
    }

    /** The end of a path, where that is a name of a file. */
    public static String name(String path, String otherwise) {
        String last = path.substring(path.lastIndexOf('/') + 1);
        try {
            String name = URLDecoder.decode(last.replace("+", "%2B"), StandardCharsets.UTF_8);
            if (name.matches("[^\\p{Cc}/\\\\]{1,200}") && !name.matches("\\.+") && name.indexOf('\uFFFD') < 0)
                return name;
        } catch (IllegalArgumentException e) {
            // It has a % that begins no byte.
        }
        return otherwise;
    }

    /** The type that the name of a file says. */
    public static String type(String name) {
        String type = URLConnection.guessContentTypeFromName(name);
        return type == null ? "application/octet-stream" : type;
    }

    /**
     * The document that a task sends.
     *
     * @param named {@code document:UUID} or {@code task:ID}, of the option body; null for none
     */
    public static @Nullable ReachDocument named(Call call, @Nullable String named) throws ReachFailure {
        if (named == null) return null;
        Matcher reference = REFERENCE.matcher(named);
        if (!reference.matches())
            throw ReachFailure.lasting(
                    Code.ADDRESS, "the option body is document:UUID or task:ID, not \"" + named + "\"");
        ReachDocument found = find(call, reference);
        if (found != null) return found;
        throw ReachFailure.lasting(
                Code.DOCUMENT,
                "there is no " + named.replace(":", " ") + " with a document that role \""
                        + call.task().owner() + "\" may use");
    }

    private static @Nullable ReachDocument find(Call call, Matcher reference) throws ReachFailure {
        try {
            return reference.group(1) == null
                    ? call.task().documents().documentOf(Long.parseLong(reference.group(2)))
                    : call.task().documents().document(UUID.fromString(reference.group(1)));
        } catch (SQLException e) {
            throw DocumentFailures.of(e);
        }
    }
}
