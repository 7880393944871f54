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

    /** A look at pg_locks, which takes nothing: causes and health checks name the locks of other features. */
    private static final Pattern LOOK = Pattern.compile("classid (=|IN) \\(?[\\d, ]+\\)?");

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
        Set<String> taken = new TreeSet<>();
        Set<String> seen = new TreeSet<>();
        for (Path source : sources()) {
            String text = Files.readString(source);
            numbers(text).forEach(seen::add);
            String withoutLooks = LOOK.matcher(text).replaceAll("");
            numbers(withoutLooks).forEach(number -> taken.add(number + " " + feature(source)));
        }
        Set<String> registered = Stream.of(AdvisoryLock.values())
                .map(each -> each.classId() + " " + featureOf(each))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(taken).isEqualTo(registered);
        assertThat(Stream.of(AdvisoryLock.values()).map(each -> Integer.toString(each.classId())))
                .containsAll(seen);
        assertThat(Stream.of(AdvisoryLock.values()).map(AdvisoryLock::classId)).doesNotHaveDuplicates();
    }

    private static Stream<String> numbers(String text) {
        return CLASS.matcher(text).results().map(MatchResult::group);
    }

    private static String featureOf(AdvisoryLock lock) {
        return switch (lock) {
            case MIGRATION, NODE -> "internal";
            case OUTBOX_ASLEEP, OUTBOX_PUBLISHER -> "process";
            default -> lock.name().substring(0, lock.name().indexOf('_')).toLowerCase(java.util.Locale.ROOT);
        };
    }
}
