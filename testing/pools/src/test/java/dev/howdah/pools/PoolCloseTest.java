package dev.howdah.pools;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Kept sessions of a pool are ended at close, and HikariCP is told before: a shutdown looks like none of its faults. */
@PostgresTest
class PoolCloseTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);

    private final TestDatabase database;
    private final Logger log = (Logger) LoggerFactory.getLogger("com.zaxxer.hikari");
    private final List<String> warnings = new CopyOnWriteArrayList<>();

    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            // Of this test's pool alone; other tests run at the same time.
            if (event.getFormattedMessage().contains(database.name())) warnings.add(event.getFormattedMessage());
        }
    };

    PoolCloseTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void listen() {
        appender.setContext(log.getLoggerContext());
        appender.start();
        log.addAppender(appender);
    }

    @AfterEach
    void detach() {
        log.detachAppender(appender);
    }

    private HikariConfig config() {
        HikariConfig config = Pools.config(database, 14);
        config.setPoolName(database.name());
        return config;
    }

    @Test
    void close_overHikari_poolWarnsOfNothing() {
        Set<String> ended = ConcurrentHashMap.newKeySet();
        try (HikariDataSource pool = new HikariDataSource(config())) {
            try (Jobs jobs = Jobs.on(pool)
                            .handle(WORK, (payload, job) -> ended.add(payload))
                            .start();
                    Processes processes = Processes.on(pool)
                            .namespace(Namespace.of("calls", (task, process) -> Intent.none()))
                            .start()) {
                processes.init("calls", "p", "");
                jobs.add(NewJob.of(WORK, "one"));
                Awaitility.await().atMost(Pools.PATIENCE).until(() -> ended.contains("one"));
                assertThat(pool.getHikariPoolMXBean().getActiveConnections())
                        .as("kept sessions")
                        .isPositive();
            }
            Awaitility.await("all connections are back")
                    .atMost(Pools.PATIENCE)
                    .until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
        }
        assertThat(warnings).isEmpty();
    }
}
