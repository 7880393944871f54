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
import org.junit.jupiter.api.io.TempDir;

/** A daemon whose tasks are SQL loads none of the libraries by which others reach out. */
@PostgresTest
class ReachUnusedTest {
    private final TestDatabase database;

    ReachUnusedTest(TestDatabase database) {
        this.database = database;
    }

    /** @param arguments the address of the database */
    public static void main(String[] arguments) throws Exception {
        try (TaskReach reach = new TaskReach(ReachSettings.of(List.of()));
                TaskScheduler scheduler = TaskScheduler.on(Database.of(arguments[0], Map.of()))
                        .reach(reach)
                        .start()) {
            scheduler.awaitServed(Duration.ofMinutes(1));
            System.out.println("serves");
            new CountDownLatch(1).await();
        }
    }

    @Test
    void libraries_areNotLoadedForTasksOfSql(@TempDir Path directory) throws Exception {
        Path loaded = directory.resolve("loaded");
        try (ChildJvm daemon = ChildJvm.start(
                ReachUnusedTest.class,
                List.of("-XX:TieredStopAtLevel=1", "-Xlog:class+load=info:file=" + loaded),
                database.uri())) {
            assertThat(daemon.out().readLine()).as(daemon::log).isEqualTo("serves");
            database.execute("INSERT INTO task (input) VALUES ('SELECT 42')");
            awaitOne("output = '42'");
            assertThat(Files.readString(loaded))
                    .contains("dev.howdah.task.TaskScheduler ", "dev.howdah.reach.TaskReach ")
                    .doesNotContain(
                            "org.apache.hc.", "org.apache.sshd.", "jakarta.mail.", "angus", "HttpScheme", "SshScheme");
            database.execute("INSERT INTO task (input, remote) VALUES ('', 'https://api.example/')");
            awaitOne("sqlstate = 'W1004'");
            assertThat(Files.readString(loaded))
                    .as("nor by one that is not allowed")
                    .doesNotContain("org.apache.hc.");
        }
    }

    private void awaitOne(String which) {
        await().atMost(Patience.LIMIT)
                .until(() -> "1".equals(database.value("SELECT count(*) FROM task WHERE " + which)));
    }
}
