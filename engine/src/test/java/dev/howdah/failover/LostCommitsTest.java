package dev.howdah.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.ServerPair;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Outcome;
import dev.howdah.job.Pipeline;
import dev.howdah.job.Schedule;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Processes;
import dev.howdah.process.Request;
import dev.howdah.process.TaskType;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.sweep.Sweep;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The primary dies, and an asynchronous standby that lacks its last commits is promoted while programs live that have worked
 * under them: what they lost there is never taken for what comes after it, although ids are given a second time.
 */
@Tag("long")
class LostCommitsTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Duration PATIENCE = Patience.LIMIT;
    private static final int ROWS = 300;

    @TempDir
    private Path directory;

    private final CountDownLatch oldMayEnd = new CountDownLatch(1);
    private final CountDownLatch heldMayEnd = new CountDownLatch(1);
    private final CountDownLatch sweepMayEnd = new CountDownLatch(1);
    private final Queue<String> begun = new ConcurrentLinkedQueue<>();
    private final Queue<String> ended = new ConcurrentLinkedQueue<>();
    private final AtomicInteger few = new AtomicInteger();
    private final AtomicInteger mostFew = new AtomicInteger();

    private void work(String payload) throws InterruptedException {
        begun.add(payload);
        boolean limited = payload.startsWith("few");
        if (limited) mostFew.accumulateAndGet(few.incrementAndGet(), Math::max);
        try {
            if (payload.startsWith("old")) oldMayEnd.await();
            if (payload.startsWith("held")) heldMayEnd.await();
            if (limited) TimeUnit.MILLISECONDS.sleep(50);
            if (payload.endsWith("fail")) throw new IllegalStateException("it fails");
        } finally {
            if (limited) few.decrementAndGet();
        }
        ended.add(payload);
    }

    private Pipeline pipeline() {
        return Pipeline.of("pipe")
                .stage("first", String.class, (payload, job) -> {
                    work(payload + "-first");
                    return Outcome.next(payload);
                })
                .stage("second", String.class, (payload, job) -> {
                    work(payload + "-second");
                    return Outcome.done();
                });
    }

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .ignoreException(SQLException.class)
                .until(condition);
    }

    /** The next number on the primary is the one that the standby will give first when it is promoted. */
    private static void alignSequence(ServerPair pair, String sequence) throws SQLException {
        String known = pair.onStandby("SELECT last_value FROM " + sequence);
        pair.onPrimary("SELECT setval('" + sequence + "', " + known + ")");
    }

    private static List<String> names(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }

    private boolean hasBegun(List<String> payloads) {
        return begun.containsAll(payloads);
    }

    @Test
    void standbyWithoutTheLastCommits_isPromoted_nothingOfThemPassesForAnother() throws Exception {
        try (ServerPair pair = ServerPair.start(directory)) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(pair.jdbcUrl());
            pair.onPrimary("CREATE TABLE item (id integer PRIMARY KEY, times integer NOT NULL DEFAULT 0);"
                    + " INSERT INTO item (id) SELECT generate_series(1, " + ROWS + ")");
            try (Jobs jobs = Jobs.on(source)
                            .concurrency(40)
                            .queues("default", "few")
                            .nodeLimit("few", 2)
                            .defaultRetries(RetryPolicy.never())
                            .handle(WORK, (payload, job) -> work(payload))
                            .pipeline(pipeline())
                            .start();
                    Processes processes = Processes.on(source)
                            .namespace(Namespace.builder("calls", (task, process) -> {
                                        if (task.type() != TaskType.CALL) return Intent.none();
                                        String args = task.args().as(String.class);
                                        work(args);
                                        return Intent.none().event(args).response(args);
                                    })
                                    .stepTimeout(Duration.ofMinutes(10))
                                    .build())
                            .start();
                    Sweep sweep = Sweep.on(source)
                            .name("items")
                            .table("item")
                            .where("times = 0")
                            .key("id")
                            .mark("times = times + 1")
                            .maxRowsPerSecond(20)
                            .batch(5)
                            // However long the steps of this test take, the sweep does not end at the old primary.
                            .forEachRow(row -> {
                                if (row.getLong("id") > ROWS / 2) sweepMayEnd.await();
                            })
                            .start()) {
                jobs.schedule(Schedule.every("tick", Duration.ofSeconds(1)), NewJob.of(WORK, "tick"));
                processes.init("calls", "p", "");
                await(
                        "all work",
                        () -> ended.contains("tick")
                                // The number of rows at the end is known from that before the failover.
                                && pair.onPrimary("SELECT exact FROM howdah.sweep")
                                        .equals("t")
                                && !pair.onPrimary("SELECT count(*) FROM item WHERE times = 1")
                                        .equals("0"));

                pair.cutReplication();
                alignSequence(pair, "howdah_internal.job_id_seq");
                alignSequence(pair, "howdah_internal.process_task_id");
                List<Long> lost = new ArrayList<>();
                lost.addAll(jobs.addAll(Stream.concat(
                                names("old", 4).stream(),
                                names("oldfail", 4).stream().map(each -> each + "fail"))
                        .map(each -> NewJob.of(WORK, each))
                        .toList()));
                jobs.addAll(names("old-ordered", 3).stream()
                        .map(each -> NewJob.of(WORK, each).orderKey("k"))
                        .toList());
                jobs.addAll(names("old-few", 2).stream()
                        .map(each -> NewJob.of(WORK, each).queue("few"))
                        .toList());
                jobs.add(pipeline().job("old-pipe"));
                CompletableFuture<String> oldCall = CompletableFuture.supplyAsync(() -> called(processes, "old-call"));
                await(
                        "work that will be lost runs",
                        () -> hasBegun(names("old", 4))
                                && hasBegun(List.of(
                                        "oldfail0fail",
                                        "old-ordered0",
                                        "old-few0",
                                        "old-few1",
                                        "old-pipe-first",
                                        "old-call")));

                pair.killPrimary();
                pair.promote();
                sweepMayEnd.countDown();
                ended.clear();

                List<String> held = Stream.concat(
                                names("held", 6).stream(),
                                names("held-", 6).stream().map(each -> each + "-fail"))
                        .toList();
                List<Long> added = new ArrayList<>();
                await("jobs are taken at the new primary", () -> {
                    try {
                        added.addAll(jobs.addAll(
                                held.stream().map(each -> NewJob.of(WORK, each)).toList()));
                        return true;
                    } catch (JobsException e) {
                        return false;
                    }
                });
                assertThat(added).as("numbers of jobs come again").containsAnyElementsOf(lost);
                jobs.addAll(names("ordered", 6).stream()
                        .map(each -> NewJob.of(WORK, each).orderKey("k"))
                        .toList());
                jobs.addAll(names("few", 6).stream()
                        .map(each -> NewJob.of(WORK, each).queue("few"))
                        .toList());
                jobs.addAll(names("pipe", 3).stream()
                        .map(each -> pipeline().job(each))
                        .toList());
                await("jobs run at the new primary", () -> hasBegun(held));
                await("the schedule goes on", () -> ended.contains("tick"));
                await("calls are answered", () -> called(processes, "new0").equals("new0"));

                oldMayEnd.countDown();
                for (int i = 1; i < 5; i++)
                    assertThat(called(processes, "new" + i)).isEqualTo("new" + i);
                await(
                        "the others have ended",
                        () -> ended.containsAll(names("ordered", 6)) && ended.containsAll(names("few", 6)));
                await(
                        "pipelines have ended",
                        () -> ended.containsAll(names("pipe", 3).stream()
                                .map(each -> each + "-second")
                                .toList()));
                assertThat(pair.onStandby("SELECT count(*) FROM howdah_internal.failed"))
                        .isEqualTo("0");
                heldMayEnd.countDown();
                jobs.schedules().pause("tick");
                await(
                        "nothing is left",
                        () -> pair.onStandby("SELECT (SELECT count(*) FROM howdah_internal.job)"
                                        + " + (SELECT count(*) FROM howdah_internal.batch WHERE ended IS NULL)")
                                .equals("0"));

                assertThat(ended).contains(names("held", 6).toArray(String[]::new));
                List<Long> failing = added.subList(6, 12);
                assertThat(pair.onStandby("SELECT string_agg(id::text, ' ' ORDER BY id) FROM howdah_internal.failed"))
                        .isEqualTo(
                                failing.stream().sorted().map(String::valueOf).collect(Collectors.joining(" ")));
                assertThat(begun.stream()
                                .filter(each -> each.startsWith("ordered"))
                                .distinct())
                        .containsExactlyElementsOf(names("ordered", 6));
                assertThat(mostFew.get()).isBetween(1, 2);
                assertThat(oldCall.get(2, TimeUnit.MINUTES))
                        .doesNotStartWith("new")
                        .isNotEqualTo("old-call");
                assertThat(processes.get("calls", "p").history())
                        .extracting(each -> each.payload().as(String.class))
                        .doesNotContain("old-call")
                        .contains("new0", "new1", "new2", "new3", "new4");
                assertThat(sweep.join().done()).isEqualTo(ROWS);
                assertThat(pair.onStandby("SELECT count(*) FROM item WHERE times = 1"))
                        .isEqualTo(String.valueOf(ROWS));
            } finally {
                sweepMayEnd.countDown();
                oldMayEnd.countDown();
                heldMayEnd.countDown();
            }
        }
    }

    /** What a call comes to: its answer, or the reason why there is none. */
    private static String called(Processes processes, String args) {
        try {
            return String.valueOf(processes
                    .call(Request.of("calls", "p").args(args).timeout(Duration.ofSeconds(60)))
                    .as(String.class));
        } catch (ProcessException e) {
            return "failed: " + e.getMessage();
        }
    }
}
