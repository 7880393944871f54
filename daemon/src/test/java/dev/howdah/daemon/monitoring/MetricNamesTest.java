package dev.howdah.daemon.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.daemon.DocumentedMetrics;
import dev.howdah.fixtures.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What is exported is documented, and the reverse. GrafanaDashboardTest compares the labels with those of programs that run. */
class MetricNamesTest {
    private static final Pattern MADE =
            Pattern.compile("\\b(?:counters?|gauges?|timers?|histograms?)\\(\\s*\"([a-z][a-z0-9_]*)\"");
    private static final Pattern OF_PROGRESSOR = Pattern.compile("\\bmillis\\(\\s*\\w+,\\s*\"([a-z_]+)\"");

    @Test
    void names_inTheSources_areThoseOfTheDocuments() throws IOException {
        Set<String> made = new TreeSet<>();
        Set<String> ofProgressor = new TreeSet<>();
        for (Path source : SourceTree.mainSources()) {
            String text = Files.readString(source);
            MADE.matcher(text).results().forEach(each -> made.add(each.group(1)));
            OF_PROGRESSOR
                    .matcher(text)
                    .results()
                    .forEach(each -> ofProgressor.add("progressor_" + each.group(1) + "_duration_ms"));
        }
        assertThat(made).isEqualTo(DocumentedMetrics.labels().keySet());
        assertThat(ofProgressor).isEqualTo(DocumentedMetrics.ofProgressor());
    }
}
