package dev.howdah.failover;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.ServerPair;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.JobsException;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Processes;
import dev.howdah.process.ProcessesBuilder;
import dev.howdah.process.Request;
import dev.howdah.process.TaskType;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * {@link FrozenPrimaryTest} over a pool, which opens its connections itself: its URL has the deadlines that the guide demands. Kept
 * sessions come from the pool, or from a data source of their own without any deadline.
 */
@Tag("long")
class FrozenPrimaryPoolTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Kind<String> TRANSACTIONAL = Kind.of("transactional", String.class);
    private static final Duration PATIENCE = Patience.LIMIT;
    private static final int THAWED = 20;

    @TempDir
    private Path directory;

    private final Set<String> ended = ConcurrentHashMap.newKeySet();

    enum Sessions {
        OF_THE_POOL,
        OF_THEIR_OWN
    }

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .ignoreException(SQLException.class)
                .until(condition);
    }

    private static HikariDataSource pool(ServerPair pair) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(pair.jdbcUrl() + "&connectTimeout=5&socketTimeout=10");
        config.setMaximumPoolSize(20);
        config.setAutoCommit(false);
        return new HikariDataSource(config);
    }

    private Jobs jobs(HikariDataSource pool, PGSimpleDataSource direct, Sessions sessions) {
        JobsBuilder builder = Jobs.on(pool)
                .concurrency(4)
                .handle(WORK, (payload, job) -> ended.add(payload))
                .handleInTransaction(TRANSACTIONAL, (payload, job, connection) -> write(payload, connection));
        return (sessions == Sessions.OF_THEIR_OWN ? builder.sessionDataSource(direct) : builder).start();
    }

    private static void write(String payload, Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO written (what) VALUES ('" + payload + "')");
        }
    }

    private static Processes processes(HikariDataSource pool, PGSimpleDataSource direct, Sessions sessions) {
        ProcessesBuilder builder = Processes.on(pool).namespace(Namespace.of("calls", (task, process) -> {
            if (task.type() != TaskType.CALL) return Intent.none();
            String args = task.args().as(String.class);
            return Intent.none().event(args).response(args);
        }));
        return (sessions == Sessions.OF_THEIR_OWN ? builder.sessionDataSource(direct) : builder).start();
    }

    @ParameterizedTest
    @EnumSource(Sessions.class)
    void primaryIsFrozen_standbyIsPromoted_programOverAPoolGoesOnThere(Sessions sessions) throws Exception {
        try (ServerPair pair = ServerPair.start(directory);
                HikariDataSource pool = pool(pair)) {
            PGSimpleDataSource direct = new PGSimpleDataSource();
            direct.setUrl(pair.jdbcUrl());
            pair.onPrimary("CREATE TABLE written (what text)");
            try (Jobs jobs = jobs(pool, direct, sessions);
                    Processes processes = processes(pool, direct, sessions)) {
                processes.init("calls", "p", "");
                jobs.add(NewJob.of(WORK, "before"));
                jobs.add(NewJob.of(TRANSACTIONAL, "before in transaction"));
                await(
                        "all work",
                        () -> ended.contains("before")
                                && called(processes, "before").equals("before")
                                && pair.onPrimary("SELECT count(*) FROM written")
                                        .equals("1"));
                pair.awaitReplay();

                pair.freezePrimary();
                pair.promote();
                await("jobs are taken", () -> added(jobs, NewJob.of(TRANSACTIONAL, "after in transaction")));
                await("jobs are taken", () -> added(jobs, NewJob.of(WORK, "after")));
                await("jobs run", () -> ended.contains("after"));
                await(
                        "transactional jobs run",
                        () -> pair.onStandby("SELECT count(*) FROM written WHERE what = 'after in transaction'")
                                .equals("1"));
                await("calls are answered", () -> called(processes, "after").equals("after"));

                pair.thawPrimary();
                for (int i = 0; i < THAWED; i++) {
                    NewJob<String> job = NewJob.of(TRANSACTIONAL, "thawed " + i);
                    await("jobs are taken while the former primary is thawed", () -> added(jobs, job));
                }
                await(
                        "jobs run while the former primary is thawed",
                        () -> pair.onStandby("SELECT count(DISTINCT what) FROM written WHERE what LIKE 'thawed %'")
                                .equals(String.valueOf(THAWED)));
                assertThat(pair.onPrimary("SELECT count(*) FROM written WHERE what LIKE 'thawed %'"))
                        .as("jobs that were written at the former primary")
                        .isEqualTo("0");
                assertThat(pair.onStandby("SELECT count(*) FROM written WHERE what LIKE 'thawed %'"))
                        .isEqualTo(String.valueOf(THAWED));
                await("calls are answered", () -> called(processes, "thawed").equals("thawed"));
            }
        }
    }

    private static boolean added(Jobs jobs, NewJob<String> job) {
        try {
            jobs.add(job);
            return true;
        } catch (JobsException e) {
            return false;
        }
    }

    private static String called(Processes processes, String args) {
        try {
            return processes
                    .call(Request.of("calls", "p").args(args).timeout(Duration.ofSeconds(20)))
                    .as(String.class);
        } catch (ProcessException e) {
            return "failed: " + e.getMessage();
        }
    }
}
