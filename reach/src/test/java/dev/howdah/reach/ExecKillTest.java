package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.ChildJvm;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.task.TaskScheduler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A daemon whose task is a program is killed. */
@PostgresTest
@EnabledOnOs(OS.LINUX)
class ExecKillTest {
    private static final String USER = "root".equals(System.getProperty("user.name"))
            ? "\"user\": \"nobody\", \"group\": \"nogroup\""
            : "\"user\": \"same\"";

    private final TestDatabase database;

    ExecKillTest(TestDatabase database) {
        this.database = database;
    }

    /** @param arguments the address of the database, and a file of settings */
    public static void main(String[] arguments) throws Exception {
        ReachSettings settings = ReachSettings.of(List.of("exec:wait"), Path.of(arguments[1]), Map.of());
        try (TaskReach reach = new TaskReach(settings);
                TaskScheduler scheduler = TaskScheduler.on(Database.of(arguments[0], Map.of()))
                        .reach(reach)
                        .start()) {
            scheduler.awaitServed(Duration.ofMinutes(1));
            new CountDownLatch(1).await();
        }
    }

    @Test
    void program_ofADaemonThatIsKilled_isKilled(@TempDir Path directory) throws Exception {
        String command = "sleep " + (200_000 + ProcessHandle.current().pid());
        Path file = Files.writeString(
                directory.resolve("reach.json"),
                "{\"programs\": {\"wait\": {\"command\": [\"/bin/" + command.replace(" ", "\", \"") + "\"], " + USER
                        + "}}}");
        try (ChildJvm daemon = ChildJvm.start(
                ExecKillTest.class, List.of("-XX:TieredStopAtLevel=1"), database.uri(), file.toString())) {
            await().atMost(Patience.LIMIT)
                    .until(() -> "t".equals(database.value("SELECT to_regclass('public.task') IS NOT NULL")));
            database.execute("INSERT INTO task (input, remote) VALUES ('', 'exec:wait')");
            await().atMost(Patience.LIMIT).until(() -> runs(command));
            daemon.kill();
            daemon.awaitGone();
        }
        await().atMost(Patience.LIMIT).until(() -> !runs(command));
        assertThat(database.value("SELECT state FROM task")).isEqualTo("WORK");
    }

    /** Whether the program itself runs, and not yet what comes before it: until then it is not bound to the daemon. */
    private static boolean runs(String command) {
        return ProcessHandle.allProcesses()
                .anyMatch(each -> each.info()
                        .commandLine()
                        .filter(line -> line.matches("\\S*" + command))
                        .isPresent());
    }
}
