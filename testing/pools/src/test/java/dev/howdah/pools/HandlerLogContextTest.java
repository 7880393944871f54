package dev.howdah.pools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.process.ProcessesBuilder;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.sweep.Sweep;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** With Logback: what the MDC says in lines that user code logs, and that nothing of it stays in the thread. */
@PostgresTest
class HandlerLogContextTest {
    private static final Kind<Integer> WORK = Kind.of("mail", Integer.class);

    private final TestDatabase database;
    /** Of this test alone; other tests run at the same time. */
    private final Logger log;

    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

    HandlerLogContextTest(TestDatabase database) {
        this.database = database;
        this.log = (Logger) LoggerFactory.getLogger("user." + database.name());
    }

    @BeforeEach
    void listen() {
        AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                event.prepareForDeferredProcessing();
                events.add(event);
            }
        };
        appender.setContext(log.getLoggerContext());
        appender.start();
        log.setLevel(Level.INFO);
        log.setAdditive(false);
        log.addAppender(appender);
    }

    @AfterEach
    void detach() {
        log.detachAndStopAllAppenders();
    }

    private Map<String, String> context(String message) {
        await(message)
                .atMost(Pools.PATIENCE)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> events.stream()
                        .anyMatch(each -> each.getFormattedMessage().equals(message)));
        return events.stream()
                .filter(each -> each.getFormattedMessage().equals(message))
                .findFirst()
                .orElseThrow()
                .getMDCPropertyMap();
    }

    private static void requireVirtual(boolean virtual) {
        assumeTrue(!virtual || Runtime.version().feature() >= 21, "virtual threads need JDK 21");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void job_eachAttempt_saysWhatRuns(boolean virtual) {
        requireVirtual(virtual);
        JobsBuilder builder = Jobs.on(Pools.direct(database)).concurrency(1).queues("post");
        if (virtual) builder.virtualThreads();
        try (Jobs jobs = builder.defaultRetries(RetryPolicy.after(Duration.ofMillis(1), Duration.ofMillis(1)))
                .handle(WORK, (n, job) -> {
                    log.info("{} attempt {}", n, job.attempt());
                    MDC.put("of the user", "left behind by " + n);
                    if (job.attempt() == 1) throw new IllegalStateException("again");
                })
                .handleInTransaction(
                        Kind.of("transactional", Integer.class), (n, job, connection) -> log.info("transaction {}", n))
                .start()) {
            for (int n = 1; n <= 2; n++) {
                long id = jobs.add(NewJob.of(WORK, n).queue("post")).id();
                for (int attempt = 1; attempt <= 2; attempt++)
                    assertThat(context(n + " attempt " + attempt))
                            .containsExactlyInAnyOrderEntriesOf(Map.of(
                                    "feature", "jobs",
                                    "queue", "post",
                                    "kind", "mail",
                                    "id", Long.toString(id),
                                    "attempt", Integer.toString(attempt)));
            }
            long id = jobs.add(NewJob.of(Kind.of("transactional", Integer.class), 3)
                            .queue("post"))
                    .id();
            assertThat(context("transaction 3"))
                    .containsEntry("kind", "transactional")
                    .containsEntry("id", Long.toString(id))
                    .doesNotContainKey("of the user");
        }
        assertThat(events).allMatch(each -> each.getThreadName().startsWith("howdah-job-post-"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void process_eachStep_saysWhatRuns(boolean virtual) {
        requireVirtual(virtual);
        ProcessesBuilder builder = Processes.on(Pools.direct(database));
        if (virtual) builder.virtualThreads();
        Namespace orders = Namespace.builder("orders", (task, process) -> {
                    log.info("{} {}", process.id(), task.type());
                    MDC.put("of the user", "left behind");
                    return Intent.none();
                })
                .concurrency(1)
                .build();
        try (Processes processes = builder.namespace(orders).start()) {
            for (String id : List.of("a", "b")) {
                processes.init("orders", id, "x");
                processes.call("orders", id, "x");
                for (String type : List.of("INIT", "CALL"))
                    assertThat(context(id + " " + type))
                            .containsEntry("feature", "processes")
                            .containsEntry("namespace", "orders")
                            .containsEntry("process", id)
                            .containsEntry("attempt", "1")
                            .containsOnlyKeys("feature", "namespace", "process", "task", "attempt");
            }
        }
        assertThat(events).allMatch(each -> each.getThreadName().startsWith("howdah-process-orders-"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"row", "transaction", "batch"})
    void sweep_eachRow_saysWhichOne(String form) throws InterruptedException {
        database.execute("CREATE TABLE orders (id bigint PRIMARY KEY, done timestamptz);"
                + " INSERT INTO orders SELECT i FROM generate_series(1, 5) i");
        var builder = Sweep.on(Pools.direct(database))
                .name("all")
                .table("orders")
                .where("done IS NULL")
                .key("id")
                .mark("done = now()")
                .workers(1)
                .batch(1)
                .force();
        switch (form) {
            case "row" -> builder.forEachRow(row -> note(row.getLong("id")));
            case "transaction" -> builder.forEachRowInTransaction((row, connection) -> note(row.getLong("id")));
            default -> builder.forEachBatch(rows -> note(rows.get(0).getLong("id")));
        }
        try (Sweep sweep = builder.start()) {
            assertThat(sweep.join(Pools.PATIENCE)).isTrue();
        }
        for (int id = 1; id <= 5; id++)
            assertThat(context("row " + id))
                    .containsExactlyInAnyOrderEntriesOf(
                            Map.of("feature", "sweeps", "sweep", "all", "key", Integer.toString(id)));
    }

    private void note(long id) {
        log.info("row {}", id);
        MDC.put("of the user", "left behind");
    }
}
