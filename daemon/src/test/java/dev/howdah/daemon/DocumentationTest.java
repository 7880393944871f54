package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.daemon.Documents.Example;
import dev.howdah.daemon.config.Setting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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
    private static final Pattern LIST = Pattern.compile("orders\\s+and\\s+columns\\s+are\\s+those\\s+of\\s+\\[`(\\w+)`\\]\\(lists\\.md#");

    private static final Pattern FLAG = Pattern.compile("`(--[a-z-]+)");

    /** How many examples cannot be run, so that one more is a decision. */
    private static final int NOT_RUN = 59;

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
    void commandLineReference_flags_areThoseOfThePrograms() {
        String reference = Documents.read(Documents.ROOT.resolve("docs/reference/command-line.md"));
        List<String> commands = new ArrayList<>(
                List.of("up", "sql", "task list", "task show", "task add", "task cancel", "task retry", "task delete"));
        for (String job : List.of(
                "install",
                "uninstall",
                "schema",
                "add",
                "list",
                "show",
                "log",
                "wait",
                "cancel",
                "retry",
                "run-now",
                "move",
                "delete",
                "errors",
                "stats")) commands.add("job " + job);
        for (String schedule : List.of("list", "put", "next")) commands.add("job schedule " + schedule);
        commands.add("import pg_cron");
        commands.add("import pgagent");
        commands.add("sweep");
        for (String sweep : List.of("list", "show", "errors", "install", "schema")) commands.add("sweep " + sweep);
        for (String process : List.of(
                "start", "call", "notify", "repair", "get", "trace", "list", "timers", "remove", "install", "schema"))
            commands.add("process " + process);
        assertThat(flags(reference.substring(0, reference.indexOf("\n## "))))
                .contains("--help", "--verbose", "--json", "--csv", "--columns");
        for (String command : commands) {
            Set<String> documented = flags(section(reference, command));
            Set<String> there = flagsOf(command);
            // Said of all commands at the beginning.
            Set<String> common = Set.of("--help", "--verbose", "--json", "--csv", "--columns");
            there.removeAll(common);
            documented.addAll(flagsOfLists(section(reference, command)));
            documented.removeAll(common);
            assertThat(documented).as("howdah %s", command).isEqualTo(there);
        }
    }

    /** The options of the lists that a section points to, which their own reference has. */
    private static Set<String> flagsOfLists(String section) {
        String lists = Documents.read(Documents.ROOT.resolve("docs/reference/lists.md"));
        Set<String> flags = new TreeSet<>();
        LIST.matcher(section)
                .results()
                .map(link -> link.group(1))
                .forEach(list -> Pattern.compile("(?m)^- `([a-z_]+)`:")
                        .matcher(section(lists, list))
                        .results()
                        .map(filter -> "--" + filter.group(1).replace('_', '-'))
                        .forEach(flags::add));
        return flags;
    }

    private static Set<String> flagsOf(String command) {
        List<String> arguments = new ArrayList<>(Arrays.asList(command.split(" ", -1)));
        arguments.add("--help");
        String help = CommandLineRun.of(arguments.toArray(String[]::new)).out();
        Set<String> flags = new TreeSet<>();
        Pattern.compile("^ +(?:-\\w, )?(--[a-z-]+)", Pattern.MULTILINE)
                .matcher(help)
                .results()
                .map(flag -> flag.group(1))
                .forEach(flags::add);
        return flags;
    }

    private static Set<String> flags(String section) {
        return FLAG.matcher(section)
                .results()
                .map(flag -> flag.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** What stands below the heading of a command, with the flags of the settings that it points to. */
    private static String section(String reference, String command) {
        @Nullable
        String found = Pattern.compile("(?ms)^## (?:howdah )?" + command + "$(.*?)(?=^## |\\z)")
                .matcher(reference)
                .results()
                .map(result -> result.group(1))
                .findFirst()
                .orElse(null);
        assertThat(found).as("the section of howdah %s", command).isNotNull();
        return String.valueOf(found);
    }

    @Test
    void commandLineReference_settings_areThoseOfTheProgram() {
        String settings = section(Documents.read(Documents.ROOT.resolve("docs/reference/command-line.md")), "Settings")
                .replaceAll("(?s)<!--.*?-->", "");
        for (Setting setting : Setting.values())
            assertThat(settings).contains("`" + setting.flag()).contains("`" + setting.variable() + "`");
        Set<String> variables = Pattern.compile("`(HOWDAH_[A-Z_]+)`")
                .matcher(settings)
                .results()
                .map((MatchResult variable) -> variable.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(variables).containsAll(Setting.variables());
        variables.removeAll(Setting.variables());
        assertThat(variables).containsExactly("HOWDAH_JAVA", "HOWDAH_JAVA_OPTS");
        for (String key : Setting.keys()) assertThat(settings).contains("| `" + key + "` |");
    }
}
