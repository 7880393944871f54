package dev.howdah.console;

import com.microsoft.playwright.Page;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Rules of accessibility, checked by axe in a page. */
final class Axe {
    private static final String SCRIPT = script();

    /** What axe calls serious or critical: the rule, and the elements that break it. */
    private static final String RUN = """
            async rules => (await axe.run({ runOnly: rules, resultTypes: ['violations'] })).violations
                .map(each => each.id + ': ' + each.nodes.map(node => node.html.slice(0, 120) + ' (' + node.failureSummary + ')').join(', '))
            """;

    private static final List<String> RULES =
            List.of("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice");

    private Axe() {}

    private static String script() {
        try (InputStream in = Axe.class.getResourceAsStream("/axe.min.js")) {
            if (in == null) throw new IllegalStateException("axe is not in the class path");
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<?> violations(Page page) {
        if (!(boolean) page.evaluate("() => 'axe' in window"))
            page.evaluate("script => { (0, eval)(script); }", SCRIPT);
        return (List<?>) page.evaluate(RUN, RULES);
    }
}
