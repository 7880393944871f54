package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.SourceTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** What the workflows of the host of the repository call is there: scripts, profiles, folders; and actions are pinned. */
class WorkflowsTest {
    private static final Path FOLDER = SourceTree.ROOT.resolve(".github");

    private static final Pattern PINNED = Pattern.compile("[\\w.-]+(/[\\w.-]+)+@[0-9a-f]{40}");

    private static final Pattern SCRIPT = Pattern.compile("(?m)(?<![\\w./-])((?:\\./|\\.ci/|packaging/)[\\w./-]+)");

    private static final Pattern PROFILES = Pattern.compile("(?<= )-P([\\w,-]+)");

    private static final Pattern NPM_SCRIPT = Pattern.compile("npm run ([\\w:-]+)");

    static List<Path> files() {
        return SourceTree.files(FOLDER, ".yml");
    }

    static Stream<Path> workflows() {
        return files().stream().filter(each -> each.startsWith(FOLDER.resolve("workflows")));
    }

    private static Object yaml(Path file) {
        return new Yaml(new SafeConstructor(new LoaderOptions())).load(Documents.read(file));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    /** Every value of that name, wherever in the tree. */
    private static void each(Object tree, String name, Consumer<Object> found) {
        if (tree instanceof Map<?, ?> map)
            map.forEach((key, value) -> {
                if (name.equals(key)) found.accept(value);
                each(value, name, found);
            });
        if (tree instanceof Collection<?> list) list.forEach(value -> each(value, name, found));
    }

    private static List<String> texts(Object tree, String name) {
        List<String> texts = new ArrayList<>();
        each(tree, name, value -> texts.add(String.valueOf(value)));
        return texts;
    }

    @Test
    void files_areThere_andAreYaml() {
        assertThat(files().stream().map(each -> FOLDER.relativize(each).toString()))
                .contains(
                        "dependabot.yml",
                        "workflows/ci.yml",
                        "workflows/code-scanning.yml",
                        "workflows/nightly.yml",
                        "workflows/release.yml",
                        "workflows/site.yml");
        assertThat(files()).allSatisfy(each -> assertThat(yaml(each)).isInstanceOf(Map.class));
        assertThat(FOLDER.resolve("CODEOWNERS")).content().doesNotContain("@example");
    }

    @ParameterizedTest
    @MethodSource("workflows")
    void actions_arePinned_withTheirVersionBeside(Path file) {
        assertThat(texts(yaml(file), "uses"))
                .isNotEmpty()
                .allMatch(each -> PINNED.matcher(each).matches());
        assertThat(Documents.read(file).lines().filter(line -> line.contains("uses: ")))
                .allMatch(line -> line.matches(".*@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+"));
    }

    @ParameterizedTest
    @MethodSource("workflows")
    void jobs_haveFewPermissions_andAnEnd(Path file) {
        Map<String, Object> workflow = map(yaml(file));
        assertThat(map(workflow.getOrDefault("permissions", Map.of()))).isEqualTo(Map.of("contents", "read"));
        map(workflow.getOrDefault("jobs", Map.of())).forEach((name, value) -> {
            Map<String, Object> job = map(value);
            boolean publishes = map(job.getOrDefault("permissions", Map.of())).containsKey("pages");
            if (!publishes) assertThat(job).as(name).containsKey("timeout-minutes");
        });
    }

    @ParameterizedTest
    @MethodSource("workflows")
    void commands_areThere(Path file) {
        String pom = Documents.read(SourceTree.ROOT.resolve("pom.xml"));
        for (String command : texts(yaml(file), "run")) {
            for (String script : all(SCRIPT, command))
                assertThat(SourceTree.ROOT.resolve(script)).as(command).isExecutable();
            for (String profiles : all(PROFILES, command))
                for (String each : profiles.split(","))
                    assertThat(pom).as(command).contains("<id>" + each + "</id>");
        }
        each(yaml(file), "steps", steps -> {
            for (Object step : (Collection<?>) steps) {
                String folder = String.valueOf(map(step).getOrDefault("working-directory", "."));
                for (String each : all(NPM_SCRIPT, String.valueOf(map(step).get("run"))))
                    assertThat(Documents.read(SourceTree.ROOT.resolve(folder).resolve("package.json")))
                            .contains("\"" + each + "\":");
            }
        });
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult found) -> found.group(1))
                .collect(Collectors.toList());
    }

    @Test
    void tests_runOnEachVersionThatIsSupported() {
        Object ci = yaml(FOLDER.resolve("workflows/ci.yml"));
        assertThat(texts(ci, "java")).contains("[17, 21, 25]");
        assertThat(texts(ci, "major")).containsExactly("[13, 14, 15, 16, 17, 18]");
        assertThat(texts(yaml(FOLDER.resolve("workflows/nightly.yml")), "run")).contains(".ci/run --long");
    }

    @Test
    void foldersOfDependencies_areThere() {
        Object updates = map(yaml(FOLDER.resolve("dependabot.yml"))).getOrDefault("updates", List.of());
        for (Object each : (Collection<?>) updates) {
            Map<String, Object> update = map(each);
            String file = switch (String.valueOf(update.get("package-ecosystem"))) {
                case "maven" -> "pom.xml";
                case "npm" -> "package.json";
                default -> ".github/workflows";
            };
            Object folders = update.getOrDefault("directories", List.of(update.getOrDefault("directory", "/")));
            for (Object folder : (Collection<?>) folders)
                assertThat(Files.exists(SourceTree.ROOT.resolve("." + folder).resolve(file)))
                        .as("%s in %s", file, folder)
                        .isTrue();
        }
    }
}
