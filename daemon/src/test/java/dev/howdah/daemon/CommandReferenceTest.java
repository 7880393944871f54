package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Each command has a section in the reference, which begins with what its declaration says: with {@code -Dhowdah.write=true} the test writes that
 * part, and sections that are missing, else it compares. What stands behind it is written by hand.
 */
@Tag("long")
class CommandReferenceTest {
    private static final Path LIST = Documents.ROOT.resolve("docs/reference/command-line.md");

    private static final String BEGIN_LIST = "<!-- begin: commands -->\n";

    private static final String END = "<!-- end -->\n";

    private static final Pattern MADE =
            Pattern.compile("(?ms)^## howdah ([a-z_ -]+)\\n\\n(<!-- begin -->\\n.*?^<!-- end -->\\n)?");

    private static final Pattern FLAG = Pattern.compile("`(--[a-z-]+)");

    private static String block(CommandReference command) {
        return "## howdah " + command.name() + "\n\n<!-- begin -->\n" + command.text() + END;
    }

    @Test
    void sections_beginWithTheDeclarationsOfTheirCommands() throws IOException {
        Map<String, CommandReference> all = CommandReference.all();
        assertThat(all).hasSizeGreaterThan(80).containsKeys("up", "task add", "sweep", "job schedule put");
        Set<String> found = new TreeSet<>();
        Map<Path, String> pages = new LinkedHashMap<>();
        for (Path page : SourceTree.files(CommandReference.FOLDER, ".md")) {
            Matcher section = MADE.matcher(Documents.read(page));
            pages.put(page, section.replaceAll(each -> {
                CommandReference command = all.get(each.group(1));
                if (command == null)
                    throw new AssertionError("there is no howdah " + each.group(1) + ", which " + page + " describes");
                assertThat(found.add(each.group(1)))
                        .as("one section of howdah %s", each.group(1))
                        .isTrue();
                assertThat(command.page()).isEqualTo(page);
                return Matcher.quoteReplacement(block(command));
            }));
        }
        all.values().stream()
                .filter(each -> !found.contains(each.name()))
                .forEach(each -> pages.merge(each.page(), "\n" + block(each), String::concat));
        if (Boolean.getBoolean("howdah.write"))
            for (Map.Entry<Path, String> each : pages.entrySet()) Files.writeString(each.getKey(), each.getValue());
        pages.forEach((page, made) -> assertThat(Documents.read(page))
                .as("-Dhowdah.write=true writes %s", page)
                .isEqualTo(made));
    }

    @Test
    void list_namesAllCommands() throws IOException {
        String made = CommandReference.all().values().stream()
                .map(each -> "| [`howdah " + each.name() + "`](commands/"
                        + each.page().getFileName() + "#" + Documents.anchor("howdah " + each.name()) + ") | "
                        + each.summary().replace("|", "\\|") + " |\n")
                .collect(Collectors.joining("", "| command | what it does |\n| --- | --- |\n", ""));
        String page = Documents.read(LIST);
        int begin = page.indexOf(BEGIN_LIST) + BEGIN_LIST.length();
        int end = page.indexOf(END, begin);
        assertThat(end).as("the place of the list").isPositive();
        String wanted = page.substring(0, begin) + made + page.substring(end);
        if (Boolean.getBoolean("howdah.write")) Files.writeString(LIST, wanted);
        assertThat(Documents.read(LIST)).isEqualTo(wanted);
    }

    /** What is written by hand names no option that its command, or one that its section links to, does not have. */
    @Test
    void prose_namesOptionsThatAreThere() {
        Map<String, CommandReference> all = CommandReference.all();
        Set<String> everywhere = all.values().stream()
                .flatMap(each -> each.flags().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        everywhere.addAll(CommandReference.COMMON);
        Map<String, Set<String>> wrong = new TreeMap<>();
        for (Path page : SourceTree.files(CommandReference.FOLDER, ".md")) {
            Set<String> named = FLAG.matcher(Documents.read(page).replaceAll("(?ms)^```.*?^```$", ""))
                    .results()
                    .map(flag -> flag.group(1))
                    .collect(Collectors.toCollection(TreeSet::new));
            named.removeAll(everywhere);
            if (!named.isEmpty()) wrong.put(page.getFileName().toString(), named);
        }
        assertThat(wrong).isEmpty();
    }
}
