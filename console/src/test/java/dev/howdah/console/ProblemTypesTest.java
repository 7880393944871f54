package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Each type of problem that the console answers with has its part in the reference, and no other has one. */
class ProblemTypesTest {
    private static final Path SOURCES = Path.of("src", "main", "java");
    private static final Pattern ANSWERED =
            Pattern.compile("ApiProblemException\\(\\s*[^,\"();]*,\\s*\"([a-z-]+)\"|urn:howdah:problem:([a-z-]+)");

    private static final Pattern OF_STATUS = Pattern.compile("\\b[45]\\d\\d, \"([a-z-]+)\"");

    private static Set<String> answered() throws IOException {
        Set<String> types = new TreeSet<>();
        for (Path each : SourceTree.files(SOURCES, ".java")) {
            String text = Files.readString(each);
            boolean isTable = each.endsWith("Problems.java");
            for (Pattern pattern : isTable ? Set.of(ANSWERED, OF_STATUS) : Set.of(ANSWERED)) {
                Matcher found = pattern.matcher(text);
                while (found.find())
                    for (int group = 1; group <= found.groupCount(); group++)
                        if (found.group(group) != null) types.add(found.group(group));
            }
        }
        return types;
    }

    @Test
    void reference_hasEachType_inTheirOrder() throws IOException {
        Path page = Path.of("..", "docs", "reference", "problems.md");
        assertThat(Files.readAllLines(page).stream()
                        .filter(each -> each.startsWith("## "))
                        .map(each -> each.substring(3)))
                .containsExactlyElementsOf(answered());
        assertThat(answered()).contains("claim-lost", "rate-limited", "unavailable", "database-unreachable");
    }

    @Test
    void guide_namesEachType() throws IOException {
        String guide = Files.readString(Path.of("..", "docs", "guide", "http-api.md"));
        assertThat(answered()).allSatisfy(each -> assertThat(guide).contains("`" + each + "`"));
    }
}
