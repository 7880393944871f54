package dev.howdah.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is shipped to start the daemon says nothing that would count more than the settings of its user. */
class ShippedSettingsTest {
    private static final Path PACKAGING = Path.of("..", "packaging");

    /** Of the image: its check of the health asks that port. The page on the image says so. */
    private static final Set<String> SAID = Set.of("HOWDAH_METRICS_PORT in packaging/image/build");

    private static final Pattern START = Pattern.compile("(?m)^[^#\\n]*\\bhowdah up\\b([^\\n]*)$");
    private static final Pattern VARIABLE = Pattern.compile("(?m)^(?!\\s*#).*?(HOWDAH_[A-Z_]+)=");

    private static List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(PACKAGING)) {
            return all.filter(Files::isRegularFile)
                    .filter(each -> !each.startsWith(PACKAGING.resolve("grafana")))
                    // They try what is shipped.
                    .filter(each -> !each.startsWith(PACKAGING.resolve("release")))
                    .toList();
        }
    }

    @Test
    void commands_haveNoFlagOfASetting() throws IOException {
        List<String> found = new ArrayList<>();
        int starts = 0;
        for (Path file : files()) {
            Matcher start = START.matcher(Files.readString(file));
            while (start.find()) {
                starts++;
                for (Setting each : Setting.values())
                    if (each != Setting.CONFIG && start.group(1).matches(".*" + each.flag() + "\\b.*"))
                        found.add(each.flag() + " in " + file);
            }
        }
        assertThat(starts).as("places that start a daemon").isGreaterThanOrEqualTo(2);
        assertThat(found).isEmpty();
    }

    @Test
    void environments_haveNoSetting() throws IOException {
        Set<String> found = new TreeSet<>();
        for (Path file : files()) {
            Matcher variable = VARIABLE.matcher(Files.readString(file));
            while (variable.find())
                if (Setting.ofVariable(variable.group(1)).isPresent())
                    found.add(variable.group(1) + " in "
                            + Path.of("..").relativize(file).toString().replace('\\', '/'));
        }
        assertThat(found).isSubsetOf(SAID);
    }
}
