package dev.howdah.pools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.job.Kind;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Processes;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The examples of docs/guide/connections.md, and what it says of pools that are too small. */
@PostgresTest
class SpringGuideTest {
    private static final Kind<Long> MAIL = Kind.of("mail", Long.class);

    private final TestDatabase database;

    SpringGuideTest(TestDatabase database) {
        this.database = database;
    }

    /** An order and its mail: both or none. */
    static final class Shop {
        private final JdbcTemplate jdbc;
        private final Jobs jobs;

        Shop(JdbcTemplate jdbc, Jobs jobs) {
            this.jdbc = jdbc;
            this.jobs = jobs;
        }

        // @Transactional
        void order(long id) {
            jdbc.update("INSERT INTO orders VALUES (?)", id);
            jdbc.execute((ConnectionCallback<Long>) connection -> jobs.add(connection, MAIL, id));
        }
    }

    @Test
    void shop_ordersInATransaction_mailsWhatWasCommitted() {
        database.execute("CREATE TABLE orders (id bigint)");
        List<Long> mailed = new CopyOnWriteArrayList<>();
        String url = Pools.url(database);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername("postgres");
        config.setMaximumPoolSize(10);
        config.setAutoCommit(false);

        PGSimpleDataSource direct = new PGSimpleDataSource();
        direct.setUrl(url);
        direct.setUser("postgres");

        try (HikariDataSource pool = new HikariDataSource(config);
                Jobs jobs = Jobs.on(pool)
                        .sessionDataSource(direct)
                        .handle(MAIL, (id, job) -> mailed.add(id))
                        .start()) {
            Shop shop = new Shop(new JdbcTemplate(pool), jobs);
            TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(pool));
            transaction.executeWithoutResult(status -> {
                shop.order(1);
                status.setRollbackOnly();
            });
            transaction.executeWithoutResult(status -> shop.order(2));
            Pools.awaitValue(database, "SELECT count(*) FROM howdah.jobs WHERE state = 'done'", "1");
            assertThat(mailed).containsExactly(2L);
        }
    }

    @Test
    void pool_isTooSmall_isRefusedWithTheNumberThatIsNeeded() {
        try (HikariDataSource pool = Pools.manualCommit(database, 4)) {
            assertThatThrownBy(() -> Jobs.on(pool).handle(MAIL, (id, job) -> {}).start())
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining("at most 4 connections")
                    .hasMessageContaining("at least 6");
            assertThatThrownBy(() -> Processes.on(pool).start())
                    .isInstanceOf(ProcessException.class)
                    .hasMessageContaining("at least 5");
            Jobs.on(pool)
                    .sessionDataSource(Pools.direct(database))
                    .handle(MAIL, (id, job) -> {})
                    .start()
                    .close();
        }
    }

    @Test
    void pool_givesNoConnectionInTime_saysHowManyAreNeeded() throws Exception {
        HikariConfig config = Pools.config(database, 1);
        config.setConnectionTimeout(3_000);
        try (HikariDataSource pool = new HikariDataSource(config);
                Jobs jobs =
                        Jobs.on(pool).sessionDataSource(Pools.direct(database)).start();
                var taken = pool.getConnection()) {
            assertThat(taken).isNotNull();
            assertThatThrownBy(() -> jobs.admin().cancel(1))
                    .hasMessageContaining("request timed out")
                    .hasMessageContaining("jobs need connections");
        }
    }
}
