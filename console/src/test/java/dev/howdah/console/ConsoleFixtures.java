package dev.howdah.console;

import dev.howdah.Database;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.task.TaskScheduler;
import java.time.Duration;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** What tests of the console begin with. */
final class ConsoleFixtures {
    private ConsoleFixtures() {}

    static DataSource source(TestDatabase database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:" + database.uri().replace("postgres@", "") + "?user=postgres");
        return database.dataSource(source);
    }

    /** Creates the table of tasks, and runs nothing. */
    static void tasks(TestDatabase database) {
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(database.uri())).start()) {
            if (!scheduler.awaitServed(Duration.ofSeconds(60))) throw new AssertionError("the table was not created");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    static ConsoleBuilder console(TestDatabase database) {
        return Console.on(source(database)).port(0).taskTable("public", "task").databaseName("127.0.0.1/test");
    }
}
