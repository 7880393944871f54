package dev.howdah.pools;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.howdah.Database;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TcpProxy;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import dev.howdah.task.TaskScheduler;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.LoggerFactory;

/**
 * What each feature logs of an outage of the server: some lines at its beginning, also when a node is lost, and at its end; in
 * between one a minute. A failed attempt to connect is repeated several times a second, and must not be a line each.
 */
@Tag("long")
@PostgresTest
@Isolated("it reads what all of Howdah logs")
class OutageLinesTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    /** For so long at least no line is logged while the outage lasts. */
    private static final Duration QUIET = Duration.ofSeconds(8);

    private static final int MOST_OF_A_FEATURE = 8;
    private static final List<String> FEATURES = List.of(
            "dev.howdah.job.", "dev.howdah.process.", "dev.howdah.sweep.", "dev.howdah.task.", "dev.howdah.internal.");

    private final TestDatabase database;
    private final Logger log = (Logger) LoggerFactory.getLogger("dev.howdah");
    private final Set<String> ended = ConcurrentHashMap.newKeySet();
    private final CountDownLatch sweepMayEnd = new CountDownLatch(1);

    private record Line(Level level, String logger, String text, long nanos) {}

    private final List<Line> lines = new CopyOnWriteArrayList<>();

    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            lines.add(
                    new Line(event.getLevel(), event.getLoggerName(), event.getFormattedMessage(), System.nanoTime()));
        }
    };

    OutageLinesTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void listen() {
        appender.setContext(log.getLoggerContext());
        appender.start();
        log.setLevel(Level.INFO);
        log.addAppender(appender);
    }

    @AfterEach
    void detach() {
        log.detachAppender(appender);
        log.setLevel(null);
    }

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(Pools.PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .until(condition);
    }

    @Test
    void server_isAway_linesAreFewAndDoNotGrowWithTheOutage() throws Exception {
        database.execute("CREATE TABLE item (id integer PRIMARY KEY, times integer NOT NULL DEFAULT 0);"
                + " INSERT INTO item (id) SELECT generate_series(1, 100); ANALYZE item");
        try (TcpProxy proxy = TcpProxy.to("127.0.0.1", database.server().port())) {
            String address = "127.0.0.1:" + proxy.port() + "/" + database.name();
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl("jdbc:postgresql://" + address + "?user=postgres");
            try (Jobs jobs = Jobs.on(source)
                            .handle(WORK, (payload, job) -> ended.add(payload))
                            .start();
                    Processes processes = Processes.on(source)
                            .namespace(Namespace.of("calls", (task, process) -> Intent.none()))
                            .start();
                    TaskScheduler scheduler = TaskScheduler.on(Database.of("postgresql://postgres@" + address))
                            .start();
                    Sweep sweep = Sweep.on(source)
                            .name("items")
                            .table("item")
                            .where("times = 0")
                            .key("id")
                            .mark("times = times + 1")
                            .batch(5)
                            .forEachRow(row -> {
                                if (row.getLong("id") > 50) sweepMayEnd.await();
                            })
                            .start()) {
                jobs.add(NewJob.of(WORK, "before"));
                processes.init("calls", "p", "");
                assertThat(scheduler.awaitServed(Pools.PATIENCE)).isTrue();
                await("work", () -> ended.contains("before"));

                lines.clear();
                proxy.refuse();
                proxy.cut();
                await(
                        "both features are told that the node is lost",
                        () -> lines.stream().anyMatch(each -> each.text().contains("other nodes have its work")));
                sweepMayEnd.countDown();
                await("it is quiet", () -> System.nanoTime() - newest() > QUIET.toNanos());
                List<Line> ofTheOutage = List.copyOf(lines);
                assertThat(ofTheOutage).noneMatch(each -> each.level().isGreaterOrEqual(Level.ERROR));
                for (String feature : FEATURES)
                    assertThat(ofTheOutage.stream().filter(of(feature)))
                            .as("lines of %s", feature)
                            .hasSizeLessThanOrEqualTo(MOST_OF_A_FEATURE);

                lines.clear();
                proxy.accept();
                await("jobs are taken", () -> added(jobs));
                await("jobs run", () -> ended.contains("after"));
                assertThat(sweep.join(Pools.PATIENCE)).isTrue();
                database.execute("INSERT INTO task (input) VALUES ('SELECT 1')");
                await("tasks run", () -> "1".equals(database.value("SELECT count(*) FROM task WHERE state = 'DONE'")));
                for (String feature : FEATURES)
                    assertThat(lines.stream().filter(of(feature)))
                            .as("lines of %s at the end", feature)
                            .hasSizeLessThanOrEqualTo(MOST_OF_A_FEATURE);
            }
        } finally {
            sweepMayEnd.countDown();
        }
    }

    private long newest() {
        return lines.isEmpty() ? System.nanoTime() : lines.get(lines.size() - 1).nanos();
    }

    private static Predicate<Line> of(String feature) {
        return line -> line.logger().startsWith(feature);
    }

    private static boolean added(Jobs jobs) throws SQLException {
        try {
            jobs.add(NewJob.of(WORK, "after"));
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }
}
