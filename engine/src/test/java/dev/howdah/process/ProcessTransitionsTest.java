package dev.howdah.process;

import static dev.howdah.process.Scripted.NAMESPACE;
import static dev.howdah.process.Scripted.reason;
import static dev.howdah.process.Scripted.script;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.internal.step.StepDisposition;
import dev.howdah.spi.Backoff;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The transition table of processes: the enum, its printed form, and a process after each end of a step. */
@PostgresTest
class ProcessTransitionsTest {
    private static final Pattern ROW = Pattern.compile("^ \\* {3}(\\w) {5}(\\w+) +(\\w+) +(\\w+)$", Pattern.MULTILINE);
    private static final Pattern COMPARED = Pattern.compile("letter\\s+(?:=|<>)\\s+'\\w'|letter\\s+IN\\s+\\([^)]*\\)");

    private static Scripted node;

    @BeforeAll
    static void start(TestDatabase database) {
        Backoff hours =
                Backoff.of(Duration.ofHours(1), 1.0, Duration.ofHours(5), 3).never("do_not_retry");
        node = Scripted.in(database, namespace -> namespace.retries(hours));
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @Test
    void description_ofThePackage_isTheEnum() throws IOException {
        String page = Files.readString(Path.of("src/main/java/dev/howdah/process/internal/step/package-info.java"));
        assertThat(ROW.matcher(page)
                        .results()
                        .map(row -> row.group(1) + " " + row.group(2) + " " + row.group(3) + " " + row.group(4)))
                .containsExactlyElementsOf(Arrays.stream(StepDisposition.values())
                        .map(each -> each.code() + " " + each + " " + each.status() + " " + each.timer())
                        .toList());
    }

    @Test
    void codes_inTheSql_areThoseOfTheEnum() throws IOException {
        String sql = Files.readString(Path.of("src/main/resources/dev/howdah/process/internal/store/step.sql"));
        Set<String> compared = COMPARED.matcher(sql)
                .results()
                .flatMap(found ->
                        Pattern.compile("'(\\w)'").matcher(found.group()).results())
                .map(code -> code.group(1))
                .collect(Collectors.toSet());
        // Steps that remove their process are written by another statement.
        assertThat(compared)
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(StepDisposition.values())
                        .filter(each -> each != StepDisposition.REMOVED)
                        .map(each -> String.valueOf(each.code()))
                        .toList());
    }

    private static Processor answers(Action action) {
        return (task, process) -> Intent.of(action);
    }

    private static Processor fails(String reason) {
        return (task, process) -> {
            throw new StepFailedException(reason);
        };
    }

    /** The status of a process and the time of its timer; one of no process is removed. */
    private record Shown(String status, String timer) {}

    private static Shown shown(String id) {
        List<List<@Nullable String>> rows = node.database()
                .query("SELECT status, COALESCE(timer_at::text, 'none') FROM howdah_internal.process WHERE id = '" + id
                        + "'");
        if (rows.isEmpty()) return new Shown("removed", "none");
        return new Shown(
                String.valueOf(rows.get(0).get(0)), String.valueOf(rows.get(0).get(1)));
    }

    /** Waits until its first two steps are written: that of init, and that of the timer. */
    private static void awaitTimer(String id) {
        node.awaitBegun(id, 2);
        Scripted.awaiting("no step of " + id + " runs")
                .until(() -> "0"
                        .equals(node.database()
                                .value("SELECT count(*) FROM howdah_internal.process WHERE id = '" + id
                                        + "' AND (node IS NOT NULL OR queued > 0)")));
    }

    @ParameterizedTest
    @EnumSource
    void step_endsSo_processIsAsTheTableSays(StepDisposition disposition) {
        Action later = Action.timeout(Duration.ofHours(1));
        boolean byTimer = disposition == StepDisposition.RETRIED || disposition == StepDisposition.FAILED;
        Processor first = answers(byTimer ? Action.timeout() : later);
        String id = switch (disposition) {
            case COMPLETED -> script(first, answers(Action.idle()));
            case SUSPENDED -> script(first, answers(Action.suspend()));
            case SCHEDULED -> script(first, answers(Action.timeout(Duration.ofHours(2))));
            case RETRIED -> script(first, fails("for now"));
            case BROKEN -> script(first, fails("for ever"));
            case FAILED -> script(first, fails("do_not_retry"), fails("no repair"));
            case REMOVED -> script(first, answers(Action.remove()));
        };
        node.init(id);
        if (byTimer) awaitTimer(id);
        Shown before = disposition == StepDisposition.RETRIED ? new Shown("running", "in the past") : shown(id);
        if (disposition == StepDisposition.FAILED)
            assertThat(reason(() -> node.processes().repair(NAMESPACE, id, null)))
                    .isEqualTo("no repair");
        else if (!byTimer) reason(() -> node.call(id));
        Shown after = shown(id);
        assertThat(after.status())
                .isEqualTo(
                        switch (disposition.status()) {
                            case RUNNING -> "running";
                            case ERROR -> "error";
                            case UNCHANGED -> before.status();
                            case REMOVED -> "removed";
                        });
        assertThat(before.timer()).isNotEqualTo("none");
        switch (disposition.timer()) {
            case KEPT -> assertThat(after.timer()).isEqualTo(before.timer());
            case NONE -> assertThat(after.timer()).isEqualTo("none");
            case SET -> assertThat(after.timer()).isNotIn("none", before.timer());
        }
    }

    @Test
    void timer_breaksItsProcess_staysForTheRepair() {
        String id = script(answers(Action.timeout()), fails("do_not_retry"));
        node.init(id);
        assertThat(node.awaitQuiet(id, 2).status()).isEqualTo(ProcessStatus.ERROR);
        assertThat(shown(id).timer()).isNotEqualTo("none");
    }

    @Test
    void timer_succeedsWithoutAnother_isOver() {
        String id = script(answers(Action.timeout()), answers(Action.idle()));
        node.init(id);
        node.awaitQuiet(id, 2);
        assertThat(shown(id)).isEqualTo(new Shown("running", "none"));
    }
}
