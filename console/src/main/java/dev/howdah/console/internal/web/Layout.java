package dev.howdah.console.internal.web;

import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.page.View;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is around the parts of each page.
 *
 * @param section null: of none, as a message
 * @param database its host and name, for people
 * @param label of the environment; null: none
 * @param others the names of consoles of other databases, and the addresses of the same section there
 * @param said what the last change did; null: nothing was changed
 * @param caller who looks at it
 * @param isLogin whether it is seen in a session, which can be ended
 * @param isLive whether a script may open a stream for it
 * @param run what names the run of this console: forms of one are refused by the next
 */
public record Layout(
        View view,
        String title,
        @Nullable Section section,
        List<PartHtml> parts,
        String database,
        @Nullable String label,
        Map<String, String> others,
        @Nullable Said said,
        String caller,
        boolean isLogin,
        boolean isLive,
        String run,
        String css,
        String script,
        String icon,
        String version) {
    /** A part that is rendered. */
    public record PartHtml(String name, String html) {}
}
