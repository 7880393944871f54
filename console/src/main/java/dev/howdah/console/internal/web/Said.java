package dev.howdah.console.internal.web;

import dev.howdah.console.internal.page.ActionResult.Undo;
import dev.howdah.console.internal.page.PageRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * What the last change did, as the next page says it once. In between it is in a cookie, which the server signs.
 *
 * @param sentence for people
 * @param undo the form that takes the change back; null: there is none
 */
public record Said(String sentence, @Nullable Undo undo) {
    private static final int MOST_SAID = 500;

    /** Browsers keep cookies of up to 4,096 bytes. */
    private static final int MOST_CODED = 3_500;

    /** As text of a cookie; where that would be too long, without the way back. */
    String coded() {
        String text = sentence.length() > MOST_SAID ? sentence.substring(0, MOST_SAID) : sentence;
        String plain = coded(text);
        if (undo == null) return plain;
        String whole = coded(text + '\0' + undo.path() + '\0' + PageRequest.address("", undo.form()));
        return whole.length() > MOST_CODED ? plain : whole;
    }

    private static String coded(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** What {@link #coded} has made. */
    static Said of(String coded) {
        String text = new String(Base64.getUrlDecoder().decode(coded), StandardCharsets.UTF_8);
        String[] parts = text.split("\0", -1);
        if (parts.length < 3) return new Said(text, null);
        String form = parts[2].isEmpty() ? "" : parts[2].substring(1);
        return new Said(parts[0], new Undo(parts[1], PageServer.query(form)));
    }
}
