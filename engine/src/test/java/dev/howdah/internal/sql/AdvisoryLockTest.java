package dev.howdah.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AdvisoryLockTest {
    private static final Pattern CLASS = Pattern.compile("\\b12152\\d{5}\\b");

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/main"))) {
            return files.filter(Files::isRegularFile)
                    .filter(each -> each.toString().matches(".*\\.(sql|java)"))
                    .filter(each -> !each.endsWith("AdvisoryLock.java"))
                    .toList();
        }
    }

    private static String feature(Path source) {
        String path = source.toString();
        for (String each : List.of("task", "job", "process", "sweep"))
            if (path.contains("/howdah/" + each + "/")) return each;
        return "internal";
    }

    @Test
    void classes_inTheSources_areRegisteredAndBelongToOneFeature() throws IOException {
        Set<String> found = new TreeSet<>();
        for (Path source : sources())
            CLASS.matcher(Files.readString(source))
                    .results()
                    .map(MatchResult::group)
                    .forEach(number -> found.add(number + " " + feature(source)));
        Set<String> registered = Stream.of(AdvisoryLock.values())
                .map(each -> each.classId() + " " + featureOf(each))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(found).isEqualTo(registered);
        assertThat(Stream.of(AdvisoryLock.values()).map(AdvisoryLock::classId)).doesNotHaveDuplicates();
    }

    private static String featureOf(AdvisoryLock lock) {
        return switch (lock) {
            case MIGRATION, NODE -> "internal";
            case OUTBOX_ASLEEP, OUTBOX_PUBLISHER -> "process";
            default -> lock.name().substring(0, lock.name().indexOf('_')).toLowerCase(java.util.Locale.ROOT);
        };
    }
}
