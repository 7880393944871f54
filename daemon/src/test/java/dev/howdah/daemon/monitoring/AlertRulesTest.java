package dev.howdah.daemon.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The alert rules for Prometheus. */
class AlertRulesTest {
    private static final Path RULES =
            Path.of("..", "packaging", "prometheus").toAbsolutePath().normalize();

    @Test
    void rules_useMetricsThatAreDocumented() throws Exception {
        String documented = Files.readString(Path.of("..", "docs", "operations", "monitoring.md"));
        Set<String> used = Pattern.compile("\\bhowdah_[a-z_]+")
                .matcher(Files.readString(RULES.resolve("howdah.rules.yml")))
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(used)
                .hasSizeGreaterThan(5)
                .allSatisfy(each -> assertThat(documented).contains("| `" + each + "` |"));
    }

    @Test
    void alerts_eachFiresOnceInPromtool() throws Exception {
        assumeTrue(isPromtoolThere(), "there is no promtool here: Debian's package prometheus has it");
        Process test = new ProcessBuilder(List.of("promtool", "test", "rules", "howdah.rules.test.yml"))
                .directory(RULES.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(test.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(test.waitFor()).as(said).isZero();
        String rules = Files.readString(RULES.resolve("howdah.rules.yml"));
        String tests = Files.readString(RULES.resolve("howdah.rules.test.yml"));
        assertThat(Pattern.compile("- alert: (\\w+)").matcher(rules).results().map(each -> each.group(1)))
                .isNotEmpty()
                .allSatisfy(each -> assertThat(tests).contains("alertname: " + each));
    }

    private static boolean isPromtoolThere() throws Exception {
        return new ProcessBuilder("sh", "-c", "command -v promtool")
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }
}
