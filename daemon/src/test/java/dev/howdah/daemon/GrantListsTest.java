package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.task.TaskScheduler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The columns that the documentation grants are those that there are. */
@PostgresTest
class GrantListsTest {
    private static final Pattern GRANTED = Pattern.compile("GRANT INSERT \\(([^)]*)\\)");
    private static final Pattern LEFT_OUT = Pattern.compile("Leave out ([^:]*?), which");

    private static Set<String> names(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.find()).isTrue();
        return new TreeSet<>(List.of(
                matcher.group(1).replaceAll("[`\\\\\"]|\\band\\b", " ").strip().split("[,\\s]+")));
    }

    @Test
    void columnsOfTasks_areGrantedToThoseWhoAdd_orLeftOutWithAWord(TestDatabase database) throws Exception {
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(database.uri())).start()) {
            assertThat(scheduler.awaitServed(Duration.ofSeconds(60))).isTrue();
        }
        Set<String> columns = new TreeSet<>(List.of(String.valueOf(
                        database.value(
                                "SELECT string_agg(column_name, ' ') FROM information_schema.columns WHERE table_name = 'task'"))
                .split(" ")));
        String text = Files.readString(Path.of("../docs/operations/privileges.md"));
        Set<String> named = names(GRANTED, text);
        assertThat(named).contains("duration", "on_failure");
        named.addAll(names(LEFT_OUT, text));
        assertThat(named).isEqualTo(columns);
    }
}
