package dev.howdah.pools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring's transactions: what Howdah does of its own never joins them, what it is given a connection for does. */
@PostgresTest
class SpringTransactionTest {
    private static final Kind<Long> WORK = Kind.of("work", Long.class);

    private final TestDatabase database;
    private final HikariDataSource pool;
    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;

    SpringTransactionTest(TestDatabase database) {
        this.database = database;
        this.pool = new HikariDataSource(Pools.config(database, 12));
        this.jdbc = new JdbcTemplate(pool);
        this.transaction = new TransactionTemplate(new DataSourceTransactionManager(pool));
    }

    @BeforeEach
    void table() {
        database.execute("CREATE TABLE orders (id bigint)");
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private long orders() {
        return Objects.requireNonNull(jdbc.queryForObject("SELECT count(*) FROM orders", Long.class));
    }

    /** Any connection of the pool finds the application's tables, and nobody's settings. */
    private void checkPool() {
        for (int i = 0; i < 12; i++) {
            orders();
            assertThat(jdbc.queryForObject("SHOW search_path", String.class)).isEqualTo("\"$user\", public");
            assertThat(jdbc.queryForObject("SHOW enable_seqscan", String.class)).isEqualTo("on");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void add_inATransactionThatIsRolledBack_neitherCommitsItNorBreaksThePool(boolean reobtaining) {
        TransactionAwareDataSourceProxy aware = new TransactionAwareDataSourceProxy(pool);
        aware.setReobtainTransactionalConnections(reobtaining);
        try (Jobs jobs = Jobs.on(aware).start()) {
            transaction.executeWithoutResult(status -> {
                jdbc.update("INSERT INTO orders VALUES (1)");
                jobs.add(WORK, 1L);
                jobs.add(NewJob.of(WORK, 2L).key("a"));
                long doomed = jobs.add(NewJob.of(WORK, 3L).queue("new")).id();
                jobs.admin().cancel(doomed);
                jobs.schedule(Schedule.every("s", Duration.ofHours(1)), NewJob.of(WORK, 4L));
                jobs.schedules().all();
                jobs.addAll(List.of(NewJob.of(WORK, 5L), NewJob.of(WORK, 6L)));
                jdbc.update("INSERT INTO orders VALUES (2)");
                status.setRollbackOnly();
            });
            assertThat(orders()).isZero();
            checkPool();
            jobs.add(WORK, 7L);
            assertThat(database.value("SELECT count(*) FROM howdah_internal.job"))
                    .isEqualTo("5");
        }
        checkPool();
    }

    /** Spring binds the connection to the thread when the transaction begins, before there is any statement. */
    @Test
    void add_inATransactionWithoutAStatement_staysOutOfIt() {
        try (Jobs jobs = Jobs.on(new TransactionAwareDataSourceProxy(pool)).start()) {
            transaction.executeWithoutResult(status -> {
                jobs.add(WORK, 1L);
                jobs.add(NewJob.of(WORK, 2L).key("a"));
                assertThat(database.value("SELECT count(*) FROM howdah_internal.job"))
                        .isEqualTo("2");
                jdbc.update("INSERT INTO orders VALUES (1)");
                status.setRollbackOnly();
            });
            assertThat(orders()).isZero();
        }
        checkPool();
    }

    @Test
    void start_inATransaction_staysOutOfIt() {
        TransactionAwareDataSourceProxy aware = new TransactionAwareDataSourceProxy(pool);
        transaction.executeWithoutResult(status -> {
            jdbc.update("INSERT INTO orders VALUES (1)");
            try (Jobs jobs = Jobs.on(aware).handle(WORK, (n, job) -> {}).start()) {
                jobs.add(WORK, 1L);
                Pools.awaitValue(database, "SELECT count(*) FROM howdah.jobs WHERE state <> 'done'", "0");
            }
            status.setRollbackOnly();
        });
        assertThat(orders()).isZero();
        checkPool();
    }

    @Test
    void add_withTheConnectionOfTheTransaction_isPartOfIt() {
        try (Jobs jobs = Jobs.on(pool).start()) {
            for (boolean rollback : new boolean[] {true, false})
                transaction.executeWithoutResult(status -> {
                    jdbc.update("INSERT INTO orders VALUES (1)");
                    Connection mine = DataSourceUtils.getConnection(pool);
                    try {
                        jobs.add(mine, NewJob.of(WORK, 1L));
                    } finally {
                        DataSourceUtils.releaseConnection(mine, pool);
                    }
                    jdbc.execute((ConnectionCallback<Long>) connection ->
                            jobs.add(connection, NewJob.of(WORK, 2L)).id());
                    if (rollback) status.setRollbackOnly();
                });
            assertThat(orders()).isEqualTo(1);
            assertThat(database.value("SELECT count(*) FROM howdah_internal.job"))
                    .isEqualTo("2");
        }
    }

    @Test
    void source_givesTheConnectionOfATransactionEverywhere_isRefused() {
        Jobs.on(pool).start().close();
        SingleConnectionDataSource single = new SingleConnectionDataSource(Pools.url(database), "postgres", "", true);
        try {
            assertThatThrownBy(() -> Jobs.on(single).start())
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining("same session");
            TransactionTemplate its = new TransactionTemplate(new DataSourceTransactionManager(single));
            try (Jobs jobs =
                    Jobs.on(single).sessionDataSource(Pools.direct(database)).start()) {
                its.executeWithoutResult(status -> {
                    new JdbcTemplate(single).update("INSERT INTO orders VALUES (1)");
                    assertThatThrownBy(
                                    () -> jobs.add(NewJob.of(WORK, 1L).key("a")).id())
                            .isInstanceOf(JobsException.class)
                            .hasMessageContaining("in the middle of a transaction");
                    status.setRollbackOnly();
                });
            }
            assertThat(orders()).isZero();
        } finally {
            single.destroy();
        }
    }
}
