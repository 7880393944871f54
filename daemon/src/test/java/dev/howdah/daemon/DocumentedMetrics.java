package dev.howdah.daemon;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The metrics that docs/operations/monitoring.md names. */
public final class DocumentedMetrics {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(howdah_[a-z_]+)` \\|([^|]*)\\|");
    private static final Pattern LABEL = Pattern.compile("`([a-z_]+)`");
    private static final Pattern OF_PROGRESSOR = Pattern.compile("`(progressor_[a-z_]+_duration_ms)`");

    private DocumentedMetrics() {}

    /** The text of the page. */
    public static String page() throws IOException {
        return Files.readString(Documents.ROOT.resolve("docs/operations/monitoring.md"));
    }

    /** Names of Howdah's own metrics, with their labels. */
    public static Map<String, Set<String>> labels() throws IOException {
        Map<String, Set<String>> labels = new TreeMap<>();
        ROW.matcher(page())
                .results()
                .forEach(row -> labels.put(row.group(1), found(LABEL, withoutValues(row.group(2)))));
        return labels;
    }

    /** Names of the histograms for dashboards of progressor. */
    public static Set<String> ofProgressor() throws IOException {
        return found(OF_PROGRESSOR, page());
    }

    /** The values of a label stand in parentheses behind it. */
    private static String withoutValues(String labels) {
        return labels.replaceAll("\\([^)]*\\)", "");
    }

    private static Set<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult each) -> each.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
