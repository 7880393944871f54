package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks that are programs of this machine. */
@PostgresTest
class ExecTaskTest {
    private static final String USER = "root".equals(System.getProperty("user.name"))
            ? "\"user\": \"nobody\", \"group\": \"nogroup\""
            : "\"user\": \"same\"";

    private final TestDatabase database;
    private ReachingTasks tasks;

    @TempDir
    Path directory;

    ExecTaskTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void serve() throws IOException {
        tasks = new ReachingTasks(database, settings("""
                {"programs": {
                  "cat": {"command": ["/bin/cat"], %1$s},
                  "say": {"command": ["/bin/echo", "said:"], "argument": "[a-z$();]{1,20}", %1$s},
                  "env": {"command": ["/usr/bin/env"], %1$s},
                  "bad": {"command": ["/bin/sh", "-c", "echo half; echo trouble >&2; exit 3"], %1$s},
                  "later": {"command": ["/bin/sh", "-c", "exit 75"], %1$s},
                  "endless": {"command": ["/usr/bin/yes"], %1$s},
                  "sleep": {"command": ["/bin/sh", "-c", "sleep 600 & echo $!; wait"], %1$s},
                  "gone": {"command": ["/no/such/program"], %1$s}}}
                """.formatted(USER)));
    }

    private ReachSettings settings(String json) throws IOException {
        Path file = directory.resolve("reach.json");
        Files.writeString(file, json);
        List<String> places = List.of(
                "exec:cat",
                "exec:say=postgres",
                "exec:env",
                "exec:bad",
                "exec:later",
                "exec:endless",
                "exec:sleep",
                "exec:gone");
        return ReachSettings.of(places, file, Map.of());
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    @Test
    void program_getsInputAndArguments_andNoShellReadsThem() {
        assertThat(tasks.output("exec:cat", "line\nя")).isEqualTo("line\nя");
        assertThat(tasks.output("exec:say?arg=$(id)&arg=;", "")).isEqualTo("said: $(id) ;\n");
        assertThat(tasks.error("exec:say?arg=-n", "")).startsWith("ERROR:  an argument is not of the form");
        assertThat(tasks.error("exec:cat?arg=x", "")).startsWith("ERROR:  the program cat takes no arguments");
    }

    @Test
    void environment_isThatOfTheProgramAlone() {
        assertThat(tasks.output("exec:env", "").lines().map(line -> line.substring(0, line.indexOf('='))))
                .contains("HOWDAH_TASK", "HOWDAH_KEY", "HOWDAH_OWNER", "PATH")
                .doesNotContain("HOME", "JAVA_HOME");
    }

    @Test
    void exitCode_otherThanZero_isAnErrorWithWhatItSaid() {
        long id = tasks.add("exec:bad", "");
        tasks.awaitState(id, "FAIL");
        assertThat(tasks.column("error", id))
                .isEqualTo("ERROR:  the program bad ended with exit code 3\nDETAIL:  trouble");
        assertThat(tasks.column("output", id)).isEqualTo("half\n");
        assertThat(tasks.error("exec:later", "")).isEqualTo("ERROR:  the program later ended with exit code 75: later");
        assertThat(tasks.error("exec:endless", "")).isEqualTo("ERROR:  the program endless wrote more than 1024 KiB");
        assertThat(tasks.error("exec:gone", "")).startsWith("ERROR:  the program gone cannot be run: it is not there");
        assertThat(tasks.error("exec:other", "")).startsWith("ERROR:  role \"postgres\" may not reach exec:other");
    }

    @Test
    void program_thatTakesTooLong_isEndedWithWhatItHasBegun() {
        long id = tasks.add("exec:sleep", "", "timeout", "'1 s'");
        tasks.awaitState(id, "FAIL");
        assertThat(tasks.column("error", id)).startsWith("ERROR:  exec:sleep was not done within 1 s");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> ProcessHandle.current()
                        .descendants()
                        .noneMatch(each -> each.info()
                                .commandLine()
                                .filter(line -> line.contains("sleep 600"))
                                .isPresent()));
    }

    @Test
    void program_withoutAUser_isNoSetting() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings("{\"programs\": {\"x\": {\"command\": [\"/bin/true\"]}}}"))
                .withMessageContaining("the program \"x\": \"user\" has to be");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings("{\"programs\": {\"x\": {\"command\": [\"true\"], " + USER + "}}}"))
                .withMessageContaining("whole path");
    }
}
