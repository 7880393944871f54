package dev.howdah.reach.job;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a request, up to 1 MiB.
 *
 * @param headers by their names in small letters; values of {@code set-cookie} are {@code ***}
 * @param body null where it is no text, or left out
 * @param bytes the body where it is no text; not copied, and not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record HttpAnswer(
        int status,
        Map<String, List<String>> headers,
        @Nullable String body,
        byte @Nullable [] bytes) {
    /** The same without the body. */
    HttpAnswer withoutBody() {
        return new HttpAnswer(status, headers, null, null);
    }
}
