package dev.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Packages use each other without a circle, and are small. The packages of a feature's API count as one; what they make of the classes
 * behind them does not count, since those implement the types of the API.
 */
class PackagePictureTest {
    private static final Path PICTURE = SourceTree.ROOT.resolve("docs/packages.md");
    private static final String BEGIN = "dev.howdah.";
    private static final int FILES = 20;
    private static final Pattern USED = Pattern.compile("\\b(dev\\.howdah(?:\\.[a-z]\\w*)*)\\.[A-Z]");
    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/", Pattern.DOTALL);

    /** A module's sources, by their packages. */
    private record Module(String name, Map<String, List<Path>> packages, Set<String> api) {
        static Module of(Path directory) throws IOException {
            Path sources = directory.resolve("src/main/java");
            Map<String, List<Path>> packages = new TreeMap<>();
            for (Path each : SourceTree.files(sources, ".java")) {
                String name = sources.relativize(each.getParent()).toString().replace('/', '.');
                if (!name.isEmpty())
                    packages.computeIfAbsent(name, key -> new ArrayList<>()).add(each);
            }
            boolean inside = packages.keySet().stream().anyMatch(each -> each.contains(".internal"));
            Set<String> api = packages.keySet().stream()
                    .filter(each -> inside && !each.contains(".internal"))
                    .collect(Collectors.toSet());
            return new Module(SourceTree.ROOT.relativize(directory).toString(), packages, api);
        }

        /** The package, or the feature whose API it is a part of. */
        String part(String used) {
            return api.contains(used) ? used.replaceFirst("^(dev\\.howdah\\.\\w+).*", "$1") : used;
        }

        Map<String, Set<String>> uses() throws IOException {
            Map<String, Set<String>> uses = new TreeMap<>();
            for (Map.Entry<String, List<Path>> each : packages.entrySet()) {
                String part = part(each.getKey());
                boolean open = api.contains(each.getKey());
                Set<String> found = uses.computeIfAbsent(part, key -> new TreeSet<>());
                for (Path source : each.getValue()) {
                    Matcher used = USED.matcher(
                            COMMENT.matcher(Files.readString(source)).replaceAll(""));
                    while (used.find()) {
                        String other = used.group(1);
                        boolean behind = open && !api.contains(other);
                        if (packages.containsKey(other)
                                && !behind
                                && !part(other).equals(part)) found.add(part(other));
                    }
                }
            }
            return uses;
        }
    }

    private static List<Module> modules() throws IOException {
        List<Module> modules = new ArrayList<>();
        for (Path each : SourceTree.modules()) {
            if (each.startsWith(SourceTree.ROOT.resolve("examples"))) continue;
            if (each.startsWith(SourceTree.ROOT.resolve("benchmarks"))) continue;
            Module module = Module.of(each);
            if (!module.packages().isEmpty()) modules.add(module);
        }
        assertThat(modules).hasSizeGreaterThan(8);
        return modules;
    }

    @Test
    void packages_haveAtMost20Files() throws IOException {
        List<String> large = new ArrayList<>();
        for (Module module : modules())
            module.packages().forEach((name, files) -> {
                long classes = files.stream()
                        .filter(each -> !each.endsWith("package-info.java"))
                        .count();
                if (classes > FILES) large.add(name + " has " + classes);
            });
        assertThat(large).isEmpty();
    }

    @Test // the picture cannot be drawn if there is a circle
    void packages_ofEachModule_standOnFloorsAsInThePicture() throws IOException {
        Map<String, String> drawn = new LinkedHashMap<>();
        for (Module module : modules()) {
            Map<String, Set<String>> uses = new TreeMap<>();
            for (Map.Entry<String, Set<String>> each : module.uses().entrySet())
                uses.put(
                        shortened(each.getKey()),
                        each.getValue().stream()
                                .map(PackagePictureTest::shortened)
                                .collect(Collectors.toSet()));
            if (uses.size() > 1) drawn.put(module.name(), Floors.drawn(Floors.of(uses)));
        }
        assertThat(drawn).containsKeys("engine", "console", "daemon", "reach");
        StringBuilder text = new StringBuilder("""
                # Packages

                [All documents](README.md)

                The packages of each module, without `dev.howdah.`. Each stands one floor above the highest one that it uses, so
                that no package uses one of its own floor or above: there is no circle. The packages of a feature's API are one here,
                such as `job`; what their classes make of those behind them is left out, since these implement the types of the
                API. `PackagePictureTest` draws the picture from the imports:
                `mvn -q test -pl engine -Dtest=PackagePictureTest -Dhowdah.write=true`.
                """);
        drawn.forEach((name, floors) -> text.append("\n## ")
                .append(name)
                .append("\n\n```text\n")
                .append(floors)
                .append("```\n"));
        String wanted = text.toString();
        if (Boolean.getBoolean("howdah.write")) Files.writeString(PICTURE, wanted);
        assertThat(PICTURE).hasContent(wanted);
    }

    private static String shortened(String name) {
        return name.startsWith(BEGIN) ? name.substring(BEGIN.length()) : name;
    }
}
