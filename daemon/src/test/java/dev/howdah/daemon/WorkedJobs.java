package dev.howdah.daemon;

import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.daemon.serve.JobPlan;
import dev.howdah.daemon.serve.JobService;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.Metrics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A database whose jobs a daemon's {@link JobService} works, with settings as a user gives them. */
final class WorkedJobs implements AutoCloseable {
    private final TestDatabase database;
    private final JobService service;
    private boolean ready;

    private WorkedJobs(TestDatabase database, JobService service) {
        this.database = database;
        this.service = service;
    }

    /** @param settings a key, its value, a key, its value, ... */
    static WorkedJobs in(TestDatabase database, String... settings) {
        return in(database, Metrics.none(), settings);
    }

    static WorkedJobs in(TestDatabase database, Metrics figures, String... settings) {
        JobPlan plan = JobPlan.of(configuration(settings));
        Database address = Database.of(database.uri(), Map.of());
        return new WorkedJobs(
                database, JobService.start(address, new SessionSource(address), plan, figures, each -> {}));
    }

    static Configuration configuration(String... settings) {
        Map<Setting, String> flags = new EnumMap<>(Setting.class);
        for (int i = 0; i < settings.length; i += 2)
            flags.put(Setting.ofKey(settings[i]).orElseThrow(), settings[i + 1]);
        return Configuration.of(flags, Map.of("HOME", "/nonexistent"));
    }

    /** A file with a secret, as {@code http-secret} wants it. */
    static Path secret(Path directory, String text) throws Exception {
        Path file = Files.writeString(directory.resolve("secret"), text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    long add(String queue, String kind, String payload, String more) {
        if (!ready) {
            await("the tables are there")
                    .atMost(Patience.LIMIT)
                    .pollInterval(Duration.ofMillis(10))
                    .until(
                            () -> "t"
                                    .equals(
                                            database.value(
                                                    "SELECT EXISTS (SELECT FROM pg_proc WHERE proname = 'add' AND pronamespace = to_regnamespace('howdah'))")));
            ready = true;
        }
        String sql = "SELECT id FROM howdah.add('" + queue + "', '" + kind + "', '" + payload.replace("'", "''") + "'"
                + more + ")";
        return Long.parseLong(String.valueOf(database.value(sql)));
    }

    long sql(String payload) {
        return add("q", "sql", payload, "");
    }

    long http(String payload) {
        return add("q", "http", payload, "");
    }

    /** Waits until the job is in that state, and says its error or its result. */
    @Nullable
    String await(long job, String state) {
        // State and text at one moment: what is retried may be running again in the next.
        List<List<@Nullable String>> found = await("job " + job + " is " + state)
                .atMost(Patience.LIMIT)
                .pollInterval(Duration.ofMillis(10))
                .until(
                        () -> database.query(
                                "SELECT COALESCE(split_part(error, E'\\n', 1), result::text) FROM howdah.find(" + job
                                        + ") WHERE state = '" + state + "'"),
                        rows -> !rows.isEmpty());
        return found.get(0).get(0);
    }

    private static org.awaitility.core.ConditionFactory await(String what) {
        return org.awaitility.Awaitility.await(what);
    }

    List<String> column(String sql) {
        List<String> values = new ArrayList<>();
        for (List<@Nullable String> row : database.query(sql)) values.add(String.valueOf(row.get(0)));
        return values;
    }

    @Override
    public void close() {
        service.close();
    }
}
