package dev.howdah.console.internal.page;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What an action did.
 *
 * @param sentence for people
 * @param next the path of the page that is shown then
 * @param ending what it comes to, if it goes on in the background; null: it is over
 * @param page that is shown as the answer itself, since it has what cannot be read again; null: the next path is
 * @param undo what takes it back; null: nothing does
 */
public record ActionResult(
        String sentence,
        String next,
        @Nullable CompletionStage<End> ending,
        @Nullable Page page,
        @Nullable Undo undo) {
    /** What an action did that is over. */
    public ActionResult(String sentence, String next) {
        this(sentence, next, null, null, null);
    }

    /** What an action did that goes on in the background. */
    public ActionResult(String sentence, String next, CompletionStage<End> ending) {
        this(sentence, next, ending, null, null);
    }

    /** What an action did whose page is the answer itself. */
    public static ActionResult shown(String sentence, Page page) {
        return new ActionResult(sentence, "/", null, page, null);
    }

    /** The same, which that takes back; null: nothing does. */
    public ActionResult undoneBy(@Nullable Undo by) {
        return new ActionResult(sentence, next, ending, page, by);
    }

    /**
     * The end of what went on in the background.
     *
     * @param isDone whether it came to its end
     * @param sentence with the final numbers
     */
    public record End(boolean isDone, String sentence) {}

    /**
     * The form that takes a change back: another change, which asks nothing, needs its role and is written down as each other one.
     *
     * @param path to which it is sent
     * @param form its fields
     */
    public record Undo(String path, Map<String, List<String>> form) {
        public Undo {
            form = new LinkedHashMap<>(form);
        }
    }
}
