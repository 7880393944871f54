package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.daemon.Documents.Example;
import dev.howdah.daemon.config.Setting;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the documents say is so. Their examples are run by an {@link ExampleRunner}: each document's in order against a PostgreSQL and a {@code
 * howdah up} of its own, and those of all documents against the same.
 */
@Tag("long")
@Execution(ExecutionMode.CONCURRENT) // each document has a home, a server and programs of its own
class DocumentationTest {
    static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)]+)\\)");
    /** How many examples cannot be run, so that one more is a decision. */
    private static final int NOT_RUN = 67;

    static Stream<String> documentsWithExamples() {
        return Documents.all().stream().filter(DocumentationTest::hasExamples).map(DocumentationTest::name);
    }

    static boolean hasExamples(Path file) {
        return !ExampleRunner.examples(name(file)).isEmpty();
    }

    static String name(Path file) {
        return Documents.ROOT.relativize(file).toString();
    }

    @ParameterizedTest
    @MethodSource("documentsWithExamples")
    void examples_runInOrder_answerAsWritten(String document, @TempDir Path home) throws Exception {
        try (ExampleRunner runner = new ExampleRunner(home)) {
            runner.run(document);
        }
    }

    @Test
    void examples_thatCannotRun_areFewAndSaySo() {
        List<Example> all = Documents.all().stream()
                .flatMap(file -> Documents.examples(Documents.read(file)).stream())
                .filter(example -> example.reason() != null)
                .toList();
        assertThat(all).hasSize(NOT_RUN).allSatisfy(e -> assertThat(e.reason()).isNotBlank());
    }

    @Test
    void quotations_all_standInTheirFiles() {
        List<Documents.Quotation> all = Documents.all().stream()
                .flatMap(file -> Documents.quotations(Documents.read(file)).stream())
                .toList();
        assertThat(all)
                .isNotEmpty()
                .allSatisfy(each -> assertThat(Documents.read(Documents.ROOT.resolve(each.file())))
                        .contains(each.text()));
    }

    /** Rows of tables, code and one long word cannot be divided. */
    @Test
    void prose_endsAt120Columns() {
        for (Path file : Documents.all())
            assertThat(Documents.prose(Documents.read(file)))
                    .as("%s", file)
                    .filteredOn(line -> line.length() > 120)
                    .filteredOn(line -> line.strip().indexOf(' ', 2) > 0)
                    .isEmpty();
    }

    /** Words at which readers stopped: of the house, with no person or thing behind them, or after the model of another language. */
    @Test
    void prose_hasNoWordsAtWhichReadersStop() {
        Pattern words = Pattern.compile(
                "\\b(by mouse|for ever|so many|becomes of|the look|(to be|be) had|anew|whatever"
                        + "|mended|nobody|somebody|whoever|who ever|he|his|him)\\b",
                Pattern.CASE_INSENSITIVE);
        for (Path file : Documents.all()) {
            if (file.toString().contains("decisions")) continue;
            assertThat(words.matcher(String.join("\n", Documents.prose(Documents.read(file))))
                            .results()
                            .map(MatchResult::group))
                    .as("%s", file)
                    .isEmpty();
        }
    }

    @Test
    void readme_isReadInOneSitting() {
        assertThat(Documents.read(Documents.ROOT.resolve("README.md")).lines()).hasSizeLessThanOrEqualTo(150);
    }

    @Test
    void links_all_lead_somewhere() {
        for (Path file : Documents.all()) {
            String text = Documents.read(file);
            LINK.matcher(text).results().map(link -> link.group(1)).forEach(link -> follow(file, text, link));
        }
    }

    private static void follow(Path file, String text, String link) {
        if (link.startsWith("https:")) return;
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? file : file.resolveSibling(parts[0]).normalize();
        assertThat(target).as("%s in %s", link, file).exists();
        if (parts.length == 2)
            assertThat(Documents.anchors(parts[0].isEmpty() ? text : Documents.read(target)))
                    .as("%s in %s", link, file)
                    .contains(parts[1]);
    }

    @Test
    void commandLineReference_settings_areThoseOfTheProgram() {
        String reference = Documents.read(Documents.ROOT.resolve("docs/reference/command-line.md"));
        String settings =
                reference.substring(reference.indexOf("\n## Settings\n")).replaceAll("(?s)<!--.*?-->", "");
        for (Setting setting : Setting.values())
            assertThat(settings).contains("`" + setting.flag()).contains("`" + setting.variable() + "`");
        Set<String> variables = Pattern.compile("`(HOWDAH_[A-Z_]+)`")
                .matcher(settings)
                .results()
                .map((MatchResult variable) -> variable.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(variables).containsAll(Setting.variables());
        variables.removeAll(Setting.variables());
        assertThat(variables).containsExactly("HOWDAH_CACHE", "HOWDAH_JAVA", "HOWDAH_JAVA_OPTS");
        for (String key : Setting.keys()) assertThat(settings).contains("| `" + key + "` |");
    }
}
