package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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

    private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

    /** The processes of a user are counted together: of one that has no others. */
    private static final String FORKS = ROOT
            ? ", \"forks\": {\"command\": [\"/bin/sh\", \"-c\", \"for i in 1 2 3 4 5 6; do sleep 1 & done; wait\"],"
                    + " \"limits\": {\"processes\": 3}, \"user\": \"games\"}"
            : "";

    private final TestDatabase database;
    private ReachingTasks tasks;

    @TempDir
    Path directory;

    /** So that what another run has left is not taken for what this one has. */
    private static final long SECONDS = 100_000 + ProcessHandle.current().pid();

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
                  "sleep": {"command": ["/bin/sh", "-c", "sleep %3$d3 & echo $!; wait"], %1$s},
                  "gone": {"command": ["/no/such/program"], %1$s},
                  "left": {"command": ["/bin/sh", "-c", "sleep %3$d1 & sleep %3$d1 >/dev/null 2>&1 & echo begun"], %1$s},
                  "warns": {"command": ["/bin/sh", "-c", "echo out; echo careful >&2"], %1$s},
                  "stubborn": {"command": ["/bin/sh", "-c", "trap '' TERM; echo armed; while :; do sleep %3$d2; done"], %1$s},
                  "busy": {"command": ["/bin/sh", "-c", "while :; do :; done"], "limits": {"cpuSeconds": 1}, %1$s},
                  "large": {"command": ["/bin/sh", "-c", "x=$(head -c 40000000 /dev/zero | tr '\\\\0' a); echo ${#x}"],
                            "limits": {"memoryMiB": 16}, %1$s},
                  "opens": {"command": ["/bin/sh", "-c", "exec 3</dev/null 4</dev/null 5</dev/null 6</dev/null 7</dev/null 8</dev/null; echo ok"],
                            "limits": {"files": 8}, %1$s}%2$s}}
                """.formatted(USER, FORKS, SECONDS)));
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
                "exec:gone",
                "exec:left",
                "exec:warns",
                "exec:stubborn",
                "exec:busy",
                "exec:large",
                "exec:opens",
                "exec:forks");
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
                .contains("HOWDAH_TASK", "HOWDAH_KEY", "HOWDAH_OWNER", "HOWDAH_ATTEMPT", "PATH")
                .doesNotContain("HOME", "JAVA_HOME");
    }

    @Test
    void answerAsJson_hasStandardErrorApart() {
        assertThat(tasks.output("exec:warns", "")).isEqualTo("out\n");
        assertThat(tasks.output("exec:warns?answer=json", ""))
                .isEqualTo("{\"exit\":0,\"stdout\":\"out\\n\",\"stderr\":\"careful\\n\"}");
        assertThat(tasks.error("exec:warns?answer=x", "")).contains("text or json, not \"x\"");
        assertThat(tasks.error("exec:bad?answer=json", "")).contains("ended with exit code 3");
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
        awaitNone("sleep " + SECONDS + "3");
    }

    private static void awaitNone(String command) {
        await().atMost(Patience.LIMIT)
                .until(() -> ProcessHandle.allProcesses()
                        .noneMatch(each -> each.info()
                                .commandLine()
                                .filter(line -> line.endsWith(command))
                                .isPresent()));
    }

    @Test
    void program_thatLeavesOthersWithItsOutput_endsTheTask_andThey() {
        assertThat(tasks.output("exec:left", "")).isEqualTo("begun\n");
        awaitNone("sleep " + SECONDS + "1");
    }

    @Test
    void program_thatDoesNotListen_isKilled() {
        long id = tasks.add("exec:stubborn", "", "timeout", "'1 s'");
        tasks.awaitState(id, "FAIL");
        assertThat(tasks.column("error", id)).startsWith("ERROR:  exec:stubborn was not done within 1 s");
        awaitNone("sleep " + SECONDS + "2");
    }

    @Test
    void program_thatReachesALimit_isAnErrorThatNamesIt() {
        assertThat(tasks.error("exec:busy", ""))
                .startsWith("ERROR:  the program busy used more than its 1 s of processor time\nHINT:  ");
        assertThat(tasks.error("exec:large", ""))
                .startsWith("ERROR:  the program large ")
                .endsWith("(It has at most 16 MiB of memory.)");
        assertThat(tasks.error("exec:opens", "")).contains("(It has at most 8 open files.)");
        if (ROOT)
            assertThat(tasks.error("exec:forks", "")).contains("fork", "(It has at most 3 processes of its user.)");
    }

    @Test
    void probe_startsNothing() throws IOException {
        Path trace = directory.resolve("trace");
        ReachSettings settings = settings("{\"programs\": {\"cat\": {\"command\": [\"/usr/bin/touch\", \"" + trace
                + "\"], " + USER + "}, \"gone\": {\"command\": [\"/no/such/program\"], " + USER + "}}}");
        assertThat(ReachingTasks.steps(settings, "exec:cat")).contains("OK program: /usr/bin/touch, user ");
        assertThat(ReachingTasks.steps(settings, "exec:cat?arg=x"))
                .contains("FAILED program: the program cat takes no arguments");
        assertThat(ReachingTasks.steps(settings, "exec:gone"))
                .contains("FAILED program: the program gone cannot be run: it is not there");
        assertThat(trace).doesNotExist();
    }

    @Test
    void limits_thatAreNone_areNoSetting() {
        String form = "{\"programs\": {\"x\": {\"command\": [\"/bin/true\"], \"limits\": {%s}, %s}}}";
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings(form.formatted("\"memory\": 5", USER)))
                .withMessageContaining("there is no key \"memory\", but cpuSeconds, files, memoryMiB, processes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings(form.formatted("\"memoryMiB\": 5", USER)))
                .withMessageContaining("\"memoryMiB\" has to be a number from 16 to 10000000");
        if (!ROOT)
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> settings(form.formatted("\"processes\": 5", USER)))
                    .withMessageContaining("needs a user of its own");
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

    @Test
    void program_thatOtherUsersCanChange_isNoSetting() throws IOException {
        Path file = Files.writeString(directory.resolve("program"), "#!/bin/sh\n");
        String json = "{\"programs\": {\"x\": {\"command\": [\"" + file + "\"], " + USER + "}}}";
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxrwxr-x"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings(json))
                .withMessageContaining("the program \"x\": " + file + " can be changed by other users: chmod go-w");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(settings(json)).isNotNull();
    }
}
