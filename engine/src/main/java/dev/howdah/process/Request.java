package dev.howdah.process;

import dev.howdah.internal.text.NameText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A request to a process. Immutable: each method returns a copy.
 *
 * @param id of the process, 1 to 256 characters
 * @param args for the processor: bytes, or a value that the codec converts to JSON; null: none
 * @param context the same; passed on to timers that the step sets
 * @param key idempotency key, 1 to 200 characters: the same request with this key gets the first answer; null: none
 * @param range the part of the history that the processor sees; null: as set for its namespace
 * @param timeout how long to wait for the answer; null: 5 s longer than a step may take, so that the
 *     caller learns of a step that has taken too long
 */
public record Request(
        String namespace,
        String id,
        @Nullable Object args,
        @Nullable Object context,
        @Nullable String key,
        @Nullable HistoryRange range,
        @Nullable Duration timeout) {
    /** @throws IllegalArgumentException if an id or key is out of its bounds, or the key has a control character */
    public Request {
        checkId(id);
        if (key != null) {
            checkText("key", key, 200);
            NameText.check("the key", key);
        }
    }

    public static Request of(String namespace, String id) {
        return new Request(namespace, id, null, null, null, null, null);
    }

    static void checkId(String id) {
        checkText("id of a process", id, 256);
    }

    static void checkText(String what, String text, int longest) {
        int length = text.codePointCount(0, text.length());
        if (length < 1 || length > longest || text.indexOf('\0') >= 0)
            throw new IllegalArgumentException(
                    "the " + what + " has 1 to " + longest + " characters, none of them 0; not " + length
                            + (length == 0 ? "" : ": " + shortened(text.replace("\0", "\\0"))));
    }

    private static String shortened(String text) {
        return text.length() > 40 ? text.substring(0, 40) + "..." : text;
    }

    public Request args(Object value) {
        return new Request(namespace, id, value, context, key, range, timeout);
    }

    public Request context(Object value) {
        return new Request(namespace, id, args, value, key, range, timeout);
    }

    public Request key(String text) {
        return new Request(namespace, id, args, context, text, range, timeout);
    }

    public Request range(HistoryRange part) {
        return new Request(namespace, id, args, context, key, part, timeout);
    }

    public Request timeout(Duration time) {
        return new Request(namespace, id, args, context, key, range, time);
    }
}
