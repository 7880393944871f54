package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page that compares Howdah with others compares with those that its introduction names, each in its version. */
class ComparisonTest {
    private static final Pattern INTRODUCTION =
            Pattern.compile("which of (\\w+) others have them: ([^:]+?)\\. The others", Pattern.DOTALL);

    @Test
    void products_ofTheTable_areThoseOfTheIntroduction() {
        String page = Documents.read(Documents.ROOT.resolve("docs/compare.md"));
        Matcher introduction = INTRODUCTION.matcher(page);
        assertThat(introduction.find()).isTrue();
        Set<String> named = new TreeSet<>();
        for (String each : introduction.group(2).split(",\\s+")) named.add(each.replaceFirst("\\s[\\d.]+$", ""));
        assertThat(introduction.group(1) + " " + named.size()).isEqualTo("ten 10");
        Set<String> compared = new TreeSet<>();
        page.lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| ---") && !line.startsWith("| feature"))
                .map(line -> line.split("\\|", -1))
                .forEach(cells -> Arrays.stream((cells[4] + "," + cells[5]).split(","))
                        .map(String::strip)
                        .filter(each -> !Set.of("", "none", "all ten").contains(each))
                        .forEach(compared::add));
        assertThat(compared).isEqualTo(named);
    }
}
