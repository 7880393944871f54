package dev.howdah.calls;

import static org.assertj.core.api.Assertions.assertThatCode;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

/** Programs that start over a pool whose connections have ended, as in a failover, and which it lends without a test. */
@PostgresTest
class StartsOverPoolsTest {
    private static final String TRUSTED = "com.zaxxer.hikari.aliveBypassWindowMs";
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    private final TestDatabase database;

    StartsOverPoolsTest(TestDatabase database) {
        this.database = database;
    }

    /** A pool of ten, two of which have ended; it takes them for good for an hour. */
    private HikariDataSource pool() throws Exception {
        PGSimpleDataSource direct = Sources.of(database);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(direct.getURL());
        config.setUsername(direct.getUser());
        config.setMinimumIdle(0);
        System.setProperty(TRUSTED, "3600000");
        HikariDataSource pool;
        try {
            pool = new HikariDataSource(config);
        } finally {
            System.clearProperty(TRUSTED);
        }
        List<Integer> sessions = new ArrayList<>();
        try (Connection one = pool.getConnection();
                Connection other = pool.getConnection()) {
            for (Connection each : List.of(one, other))
                sessions.add(each.unwrap(PGConnection.class).getBackendPID());
        }
        String among = sessions.toString().replace('[', '(').replace(']', ')');
        database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid IN " + among);
        Awaitility.await()
                .atMost(Patience.LIMIT)
                .until(() -> "0".equals(database.value("SELECT count(*) FROM pg_stat_activity WHERE pid IN " + among)));
        return pool;
    }

    @Test
    void producer_starts() throws Exception {
        try (HikariDataSource pool = pool()) {
            assertThatCode(() -> Jobs.on(pool).start().close()).doesNotThrowAnyException();
        }
    }

    @Test
    void node_starts_andWorks() throws Exception {
        try (HikariDataSource pool = pool();
                Jobs jobs = Jobs.on(pool).handle(WORK, (n, job) -> {}).start()) {
            jobs.await(jobs.add(WORK, 1), Patience.LIMIT);
        }
    }

    @Test
    void processes_start() throws Exception {
        try (HikariDataSource pool = pool();
                Processes processes = Processes.on(pool)
                        .namespace(Namespace.of("n", (task, process) -> Intent.none()))
                        .start()) {
            processes.init("n", "a", null);
        }
    }
}
