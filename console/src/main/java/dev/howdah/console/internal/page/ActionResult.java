package dev.howdah.console.internal.page;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What an action did.
 *
 * @param sentence for people
 * @param next the path of the page that is shown then
 * @param ending what it comes to, if it goes on in the background; null: it is over
 */
public record ActionResult(
        String sentence, String next, @Nullable CompletionStage<End> ending) {
    /** What an action did that is over. */
    public ActionResult(String sentence, String next) {
        this(sentence, next, null);
    }

    /**
     * The end of what went on in the background.
     *
     * @param isDone whether it came to its end
     * @param sentence with the final numbers
     */
    public record End(boolean isDone, String sentence) {}
}
