package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page that compares Howdah with others compares features only with those of its table of projects, each in its version. */
class ComparisonTest {
    private static final Pattern PROJECT = Pattern.compile("(?m)^\\| \\[([^\\]]+)]\\(https://[^)]+\\) \\| ([^|]+) \\|");

    @Test
    void projects_ofTheFeatures_areTenOfThoseWithAVersion() {
        String page = Documents.read(Documents.ROOT.resolve("docs/compare.md"));
        String features = page.substring(page.indexOf("\n## Feature by feature\n"));
        assertThat(features).contains("Ten of these have");
        Set<String> named = PROJECT.matcher(page)
                .results()
                .map(project -> project.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(PROJECT.matcher(page).results().map(project -> project.group(2)))
                .allMatch(version -> version.matches(".*\\d.*"));
        Set<String> compared = new TreeSet<>();
        features.lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| ---") && !line.startsWith("| feature"))
                .map(line -> line.split("\\|", -1))
                .forEach(cells -> Arrays.stream((cells[4] + "," + cells[5]).split(","))
                        .map(String::strip)
                        .filter(each -> !Set.of("", "none", "all ten").contains(each))
                        .forEach(compared::add));
        assertThat(named).containsAll(compared);
        assertThat(compared).hasSize(10);
    }
}
