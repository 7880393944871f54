package dev.howdah.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.ServerPair;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Processes;
import dev.howdah.process.Request;
import dev.howdah.process.TaskType;
import dev.howdah.sweep.Sweep;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The primary is frozen, not dead: its kernel takes connections and acknowledges data, and nothing answers. A standby is promoted.
 * The data source names both servers and sets no deadline at all. Programs that were at work go on at the new primary.
 */
@Tag("long")
class FrozenPrimaryTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Kind<String> TRANSACTIONAL = Kind.of("transactional", String.class);
    private static final Duration PATIENCE = Patience.LIMIT;
    private static final int ROWS = 200;
    private static final int THAWED = 20;

    @TempDir
    private Path directory;

    private final Set<String> ended = ConcurrentHashMap.newKeySet();
    private final AtomicInteger begun = new AtomicInteger();
    private final CountDownLatch mayWrite = new CountDownLatch(1);

    private void write(String payload, Connection connection) throws SQLException, InterruptedException {
        ended.add("begun " + payload);
        if (payload.startsWith("held")) mayWrite.await();
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO written (what) VALUES ('" + payload + "')");
        }
        ended.add(payload);
    }

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .ignoreException(SQLException.class)
                .until(condition);
    }

    @Test
    void primaryIsFrozen_standbyIsPromoted_allFeaturesGoOnThere() throws Exception {
        try (ServerPair pair = ServerPair.start(directory)) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(pair.jdbcUrl());
            pair.onPrimary("CREATE TABLE item (id integer PRIMARY KEY, times integer NOT NULL DEFAULT 0);"
                    + " INSERT INTO item (id) SELECT generate_series(1, " + ROWS + ");"
                    + " CREATE TABLE written (what text)");
            try (Jobs jobs = Jobs.on(source)
                            .concurrency(4)
                            .handle(WORK, (payload, job) -> ended.add(payload))
                            .handleInTransaction(
                                    TRANSACTIONAL, (payload, job, connection) -> write(payload, connection))
                            .start();
                    Processes processes = Processes.on(source)
                            .namespace(Namespace.of("calls", (task, process) -> {
                                if (task.type() != TaskType.CALL) return Intent.none();
                                String args = task.args().as(String.class);
                                return Intent.none().event(args).response(args);
                            }))
                            .start();
                    Sweep sweep = Sweep.on(source)
                            .name("items")
                            .table("item")
                            .where("times = 0")
                            .key("id")
                            .mark("times = times + 1")
                            .batch(5)
                            .forEachRow(row -> {
                                if (begun.incrementAndGet() > ROWS / 2) mayWrite.await();
                            })
                            .start()) {
                processes.init("calls", "p", "");
                jobs.add(NewJob.of(WORK, "before"));
                jobs.add(NewJob.of(TRANSACTIONAL, "before in transaction"));
                assertThat(called(processes, "before", Duration.ofMinutes(1))).isEqualTo("before");
                await(
                        "all work",
                        () -> ended.contains("before")
                                && ended.contains("before in transaction")
                                && begun.get() > ROWS / 2);
                jobs.add(NewJob.of(TRANSACTIONAL, "held"));
                await("a job holds its transaction", () -> ended.contains("begun held"));
                pair.awaitReplay();

                pair.freezePrimary();
                mayWrite.countDown();
                CompletableFuture<Boolean> added = CompletableFuture.supplyAsync(() -> added(jobs, "meanwhile"));
                CompletableFuture<String> asked =
                        CompletableFuture.supplyAsync(() -> called(processes, "meanwhile", Duration.ofMinutes(10)));
                pair.promote();

                await("jobs are taken", () -> added(jobs, "after"));
                await("jobs run", () -> ended.contains("after"));
                await(
                        "calls are answered",
                        () -> called(processes, "after", Duration.ofSeconds(20)).equals("after"));
                await(
                        "what ran in a transaction at the frozen server runs again",
                        () -> pair.onStandby("SELECT count(*) FROM written WHERE what = 'held'")
                                .equals("1"));
                // What was asked of the frozen server has an answer or a failure: no caller waits for it without end.
                added.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                asked.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(sweep.join(PATIENCE)).isTrue();
                assertThat(pair.onStandby("SELECT count(*) FROM item WHERE times = 1"))
                        .isEqualTo(String.valueOf(ROWS));

                // It takes connections again, as a primary, and stands first in the URL: none may lead there.
                pair.thawPrimary();
                for (int i = 0; i < THAWED; i++) jobs.add(NewJob.of(TRANSACTIONAL, "thawed " + i));
                await(
                        "jobs run while the former primary is thawed",
                        () -> pair.onStandby("SELECT count(*) FROM written WHERE what LIKE 'thawed %'")
                                .equals(String.valueOf(THAWED)));
                assertThat(pair.onPrimary("SELECT count(*) FROM howdah.jobs WHERE kind = 'transactional' AND id > 3"))
                        .as("jobs that were added to the former primary")
                        .isEqualTo("0");
            }
        }
    }

    private static boolean added(Jobs jobs, String payload) {
        try {
            jobs.add(NewJob.of(WORK, payload));
            return true;
        } catch (JobsException e) {
            return false;
        }
    }

    private static String called(Processes processes, String args, Duration patience) {
        try {
            return processes
                    .call(Request.of("calls", "p").args(args).timeout(patience))
                    .as(String.class);
        } catch (ProcessException e) {
            return "failed: " + e.getMessage();
        }
    }
}
