import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.process.Action;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.process.TaskType;
import dev.howdah.sweep.Sweep;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Work of all four features over one URL: Workload NAME JDBC-URL JDBC-URL-OF-SESSIONS DIRECTORY. Adds until the directory has a file "stop", works
 * until it has "end".
 *
 * <p>Each round adds a number to ha.added together with its task and its job, in one transaction; what that transaction kept has to be
 * done once. The effects are in ha.done, with their times, each in the transaction of its outcome.
 */
public class Workload {
    public static void main(String[] arguments) throws Exception {
        String via = arguments[0];
        Path stop = Path.of(arguments[3], "stop");
        Path end = Path.of(arguments[3], "end");
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(arguments[1]);
        PGSimpleDataSource sessions = arguments[2].equals(arguments[1]) ? source : new PGSimpleDataSource();
        sessions.setURL(arguments[2]);
        Kind<Integer> kind = Kind.of("count", Integer.class);
        try (Jobs jobs = Jobs.on(source)
                        .sessionDataSource(sessions)
                        .queues(via)
                        .handleInTransaction(kind, (number, job, connection) -> done(connection, via, "job", number))
                        .start();
                Processes processes = Processes.on(source)
                        .sessionDataSource(sessions)
                        .namespace(Namespace.builder(via, (task, process) -> Intent.none()
                                        .event(task.type().name())
                                        .then(task.type() == TaskType.INIT ? Action.timeout(Duration.ZERO) : Action.suspend()))
                                .repeatable(true)
                                .build())
                        .start();
                Sweep sweep = Sweep.on(source)
                        .sessionDataSource(sessions)
                        .name(via)
                        .table("ha.row_" + via)
                        .key("id")
                        .where("times = 0")
                        .mark("times = times + 1, at = clock_timestamp()")
                        .batch(20)
                        .maxRowsPerSecond(100)
                        .start()) {
            int number = 0;
            while (!Files.exists(stop)) {
                number++;
                try (Connection connection = source.getConnection()) {
                    connection.setAutoCommit(false);
                    jobs.add(connection, NewJob.of(kind, number).queue(via));
                    try (PreparedStatement add = connection.prepareStatement("WITH a AS (INSERT INTO ha.added VALUES (?, ?))"
                            + " INSERT INTO public.task_" + via + " (input, once) VALUES (?, true)")) {
                        add.setString(1, via);
                        add.setInt(2, number);
                        add.setString(3, "INSERT INTO ha.done VALUES ('" + via + "', 'task', " + number + ")");
                        add.executeUpdate();
                    }
                    connection.commit();
                } catch (SQLException | RuntimeException e) {
                    System.err.println(via + ": not added, or not known: " + e.getMessage());
                }
                try {
                    processes.init(via, via + number, null);
                } catch (RuntimeException e) {
                    System.err.println(via + ": not begun, or not known: " + e.getMessage());
                }
                Thread.sleep(50);
            }
            while (!Files.exists(end)) Thread.sleep(100);
        }
        System.err.println(via + ": stopped");
    }

    private static void done(Connection connection, String via, String feature, int number) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO ha.done VALUES (?, ?, ?)")) {
            insert.setString(1, via);
            insert.setString(2, feature);
            insert.setInt(3, number);
            insert.executeUpdate();
        }
    }
}
