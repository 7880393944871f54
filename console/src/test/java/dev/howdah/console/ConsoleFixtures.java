package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.task.TaskScheduler;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** What tests of the console begin with. */
final class ConsoleFixtures {
    private ConsoleFixtures() {}

    static DataSource source(TestDatabase database) {
        return database.dataSource(sourceAs(database, "postgres"));
    }

    /** Sessions of that role. */
    static PGSimpleDataSource sourceAs(TestDatabase database, String role) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:" + database.uri().replace("postgres@", ""));
        source.setUser(role);
        return source;
    }

    /** Creates the table of tasks, and runs nothing. */
    static void tasks(TestDatabase database) {
        database.fill("tasks", ConsoleFixtures::serve);
    }

    /** Creates the table of tasks, and leaves it without a scheduler. */
    static void serve(TestDatabase database) {
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(database.uri())).start()) {
            if (!scheduler.awaitServed(Duration.ofSeconds(60))) throw new AssertionError("the table was not created");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Creates the tables of tasks and of jobs, and runs nothing. */
    static void tasksAndJobs(TestDatabase database) {
        database.fill("tasks and jobs", empty -> {
            serve(empty);
            install(empty);
        });
    }

    /** From now on names are taken as they were before their characters were checked. */
    static void takeAnyName(TestDatabase database) {
        database.execute(
                "CREATE OR REPLACE FUNCTION howdah_internal.refused_characters() RETURNS text LANGUAGE sql IMMUTABLE AS"
                        + " $never$ SELECT '$x' $never$");
    }

    /** Creates the tables of jobs. */
    static void jobs(TestDatabase database) {
        database.fill("jobs", ConsoleFixtures::install);
    }

    private static void install(TestDatabase database) {
        try (Connection connection = database.connect()) {
            Jobs.install(connection);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** The text of a page that was found, each run of blanks as one. */
    static String text(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body().replaceAll("\\s+", " ");
    }

    static ConsoleBuilder console(TestDatabase database) {
        return Console.on(source(database)).port(0).taskTable("public", "task").databaseName("127.0.0.1/test");
    }
}
