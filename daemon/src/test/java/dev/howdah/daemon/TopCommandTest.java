package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.task.TaskScheduler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jline.utils.AttributedString;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code howdah top} in a real pseudo-terminal. */
@PostgresTest
@Tag("long")
class TopCommandTest {
    /** What a terminal is told to get its own screen back, and to show its cursor. */
    private static final List<String> GIVEN_BACK = List.of("\u001b[?1049l", "\u001b[?25h");

    private final TestDatabase database;

    @TempDir
    private Path directory;

    TopCommandTest(TestDatabase database) {
        this.database = database;
    }

    private PseudoTerminal top(int width, int height, Map<String, String> environment) throws IOException {
        assumeTrue(PseudoTerminal.isThere(), "no script here");
        return PseudoTerminal.start(directory, width, height, environment, "top", "--url", database.uri());
    }

    private void addTasks() {
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(database.uri())).start()) {
            await().atMost(Patience.LIMIT)
                    .until(() -> "t".equals(database.value("SELECT to_regclass('public.task_busy_idx') IS NOT NULL")));
            database.execute("INSERT INTO task (input) VALUES ('SELECT 42 AS answer'), ('SELECT nothing')");
            await().atMost(Patience.LIMIT)
                    .until(() ->
                            "2".equals(database.value("SELECT count(*) FROM task WHERE state IN ('DONE', 'FAIL')")));
        }
        database.execute(
                "INSERT INTO task (input, plan) VALUES (E'\\x1b]0;owned\\x07 SELECT 3', now() + interval '1 day')");
    }

    @Test
    void keys_ofTasksAndQueues_showAndChangeThem_afterAQuestion() throws Exception {
        addTasks();
        CommandLineRun.installJobs(database);
        database.execute("SELECT howdah.add('mail', 'send', '1'), howdah.add('post', 'send', '2')");
        try (PseudoTerminal top = top(90, 20, Map.of())) {
            top.shows("SELECT 42 AS answer");
            assertThat(top.lines().get(0)).startsWith("[1 Tasks] 2 Queues");
            // What a task holds is no command to the terminal.
            top.shows("\\x1B]0;owned\\x07 SELECT 3");
            assertThat(top.raw()).doesNotContain("]0;owned\u0007");
            top.type("c");
            top.shows("Cancel task 3?");
            top.type("n");
            top.shows("Nothing was changed.");
            assertThat(database.value("SELECT state FROM task WHERE id = 3")).isEqualTo("PLAN");
            top.type("c");
            top.shows("Cancel task 3?");
            top.type("y");
            top.shows("Task 3 will not run.");
            top.shows("STOP");
            top.type("/nothing\r");
            top.showsNo("SELECT 42");
            top.shows("FAIL");
            top.type("\r");
            top.shows("column \"nothing\" does not exist");
            top.type(" ");
            top.shows("owner       postgres");
            top.type("\u001b");
            top.shows("filter: nothing");
            top.type("2");
            top.shows("post");
            top.type("jp");
            top.shows("Pause queue post?");
            top.type("y");
            top.shows("paused by postgres");
            // A change of somebody else is seen without a key.
            database.execute("SELECT howdah.resume('post')");
            top.showsNo("paused by");
            top.type("q");
            assertThat(top.end()).contains("exit 0").contains(GIVEN_BACK);
        }
    }

    @Test
    void narrowTerminal_dropsColumns_andFollowsItsSize() throws Exception {
        addTasks();
        try (PseudoTerminal top = top(38, 8, Map.of("NO_COLOR", "1"))) {
            top.shows("FAIL");
            assertThat(String.join("\n", top.lines())).doesNotContain("GROUP");
            assertThat(top.lines())
                    .allSatisfy(line -> assertThat(new AttributedString(line).columnLength())
                            .isLessThanOrEqualTo(38));
            top.resize(100, 20);
            top.shows("GROUP");
            top.resize(12, 3);
            top.shows("too small");
            top.resize(60, 10);
            top.shows("STATE");
            // No colour, but the selected row is seen all the same.
            top.shows("\n> ");
            assertThat(top.raw()).doesNotContain("\u001b[31m").doesNotContain("[91m");
        }
    }

    @Test
    void interrupt_andTermination_giveTheTerminalBack() throws Exception {
        try (PseudoTerminal top = top(80, 20, Map.of())) {
            top.shows("There are no tables for Tasks");
            top.type("\u0003");
            assertThat(top.end())
                    .contains("exit 130")
                    .contains(GIVEN_BACK)
                    .containsPattern("[^-]icanon")
                    .containsPattern("[^-]echo ");
        }
        try (PseudoTerminal top = top(80, 20, Map.of())) {
            top.shows("There are no tables for Tasks");
            top.program().destroy();
            assertThat(top.end())
                    .contains("exit 143")
                    .contains(GIVEN_BACK)
                    .containsPattern("[^-]icanon")
                    .containsPattern("[^-]echo ");
        }
    }

    @Test
    void databaseThatIsLost_isSaid_andFoundAgain() throws Exception {
        addTasks();
        try (PseudoTerminal top = top(80, 20, Map.of())) {
            top.shows("SELECT 42 AS answer");
            String lock = "ALTER DATABASE " + database.value("SELECT quote_ident(current_database())")
                    + " ALLOW_CONNECTIONS ";
            try (TestDatabase other = TestDatabase.create(database.server())) {
                other.execute(lock + "false");
                other.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'howdah top'");
                top.shows("Not up to date:");
                top.shows("SELECT 42 AS answer");
                other.execute(lock + "true");
            }
            top.showsNo("Not up to date:");
        }
    }

    @Test
    void withoutTerminal_isRefusedWithASentence() {
        CommandLineRun run = CommandLineRun.of("top", "--url", database.uri());
        assertThat(run.exitCode()).isOne();
        assertThat(run.err())
                .startsWith("howdah: howdah top needs a terminal; ")
                .hasLineCount(1);
    }
}
