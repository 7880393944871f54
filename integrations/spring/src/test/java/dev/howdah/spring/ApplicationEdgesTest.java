package dev.howdah.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.query.JobState;
import dev.howdah.spring.internal.node.ApplicationNode;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Applications that are set up in unusual ways, and ends that come at a bad time. */
@PostgresTest
class ApplicationEdgesTest {
    private static final Kind<Void> WORK = Kind.of("work", Void.class);
    private static final Kind<Void> BOOK = Kind.of("book", Void.class);

    private final TestDatabase database;

    ApplicationEdgesTest(TestDatabase database) {
        this.database = database;
    }

    private static DataSource source(Environment environment) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(environment.getRequiredProperty("spring.datasource.url"));
        source.setUser("postgres");
        return source;
    }

    /** What a handler does that writes in its job's transaction. */
    static class Books {
        private final JdbcTemplate jdbc;

        Books(@HowdahDataSource DataSource source) {
            this.jdbc = new JdbcTemplate(source);
        }

        @JobHandler(value = "book", transactional = true, attempts = 1)
        void book() {
            jdbc.update("INSERT INTO book VALUES (1)");
        }
    }

    /** The primary data source, with the only transaction manager, is not Howdah's; and Howdah's fetches connections late. */
    @Configuration(proxyBeanMethods = false)
    static class OtherPrimary {
        @Bean
        @Primary
        DataSource other(Environment environment) {
            return source(environment);
        }

        @Bean
        @HowdahDataSource
        DataSource jobs(Environment environment) {
            return new LazyConnectionDataSourceProxy(source(environment));
        }

        @Bean
        PlatformTransactionManager transactions(DataSource other) {
            return new JdbcTransactionManager(other);
        }

        @Bean
        Books books(@HowdahDataSource DataSource source) {
            return new Books(source);
        }
    }

    @Test
    void handlers_whosePrimaryTransactionsAreElsewhere_runInThoseOfTheirDataSource() throws Exception {
        database.execute("CREATE TABLE book (id int)");
        try (ConfigurableApplicationContext application = Application.start(
                database,
                OtherPrimary.class,
                "spring.main.lazy-initialization=true",
                "management.health.db.enabled=false")) {
            Jobs jobs = application.getBean(Jobs.class);
            var done = jobs.await(jobs.add(NewJob.of(BOOK)).id(), Application.PATIENCE);
            assertThat(done.state()).as(done.toString()).isEqualTo(JobState.DONE);
            assertThat(database.value("SELECT count(*) FROM book")).isEqualTo("1");

            // In a transaction of the other data source a job has one of its own.
            new TransactionTemplate(application.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(status -> {
                        jobs.add(NewJob.of(WORK));
                        status.setRollbackOnly();
                    });
            assertThat(database.value("SELECT count(*) FROM howdah.jobs WHERE kind = 'work'"))
                    .isEqualTo("1");
        }
    }

    /** One for each job, behind a proxy. */
    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    static class Each {
        static final Set<Integer> SEEN = ConcurrentHashMap.newKeySet();

        @Transactional
        @JobHandler("work")
        void work() {
            SEEN.add(System.identityHashCode(this));
            TestThreads.last = Thread.currentThread();
        }
    }

    /** What ran the last handler. */
    static final class TestThreads {
        static volatile Thread last = Thread.currentThread();

        private TestThreads() {}

        static boolean isVirtual() throws ReflectiveOperationException {
            return Runtime.version().feature() >= 21
                    && (boolean) Thread.class.getMethod("isVirtual").invoke(last);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Prototypes {
        @Bean
        @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
        Each each() {
            return new Each();
        }
    }

    @Test
    void bean_ofScopePrototype_isMadeForEachJob_inVirtualThreadsWhereThereAreAny() throws Exception {
        try (ConfigurableApplicationContext application =
                Application.start(database, Prototypes.class, "spring.threads.virtual.enabled=true")) {
            Jobs jobs = application.getBean(Jobs.class);
            for (int i = 0; i < 2; i++)
                assertThat(jobs.await(jobs.add(NewJob.of(WORK)).id(), Application.PATIENCE)
                                .state())
                        .isEqualTo(JobState.DONE);
            assertThat(Each.SEEN).hasSize(2);
            assertThat(TestThreads.isVirtual()).isEqualTo(Runtime.version().feature() >= 21);
        }
    }

    /** A handler that ends only when it is interrupted. */
    static class Endless {
        final CountDownLatch begun = new CountDownLatch(1);

        @JobHandler("work")
        void work() throws InterruptedException {
            begun.countDown();
            new CountDownLatch(1).await();
        }
    }

    @Test
    void application_closedWhileAHandlerRuns_interruptsIt_andItsJobRunsAgain() throws Exception {
        ConfigurableApplicationContext application =
                Application.start(database, Endless.class, "howdah.shutdown-timeout=100ms");
        HikariDataSource pool = application.getBean(HikariDataSource.class);
        application.getBean(Jobs.class).add(NewJob.of(WORK));
        application.getBean(Endless.class).begun.await();
        application.close();
        assertThat(pool.isClosed()).isTrue();
        assertThat(database.value("SELECT string_agg(state, ',') FROM howdah.jobs"))
                .isEqualTo("waiting");
        assertThat(database.value("SELECT count(*) FROM howdah_internal.node")).isEqualTo("0");
    }

    /** Starts after the node, and fails. */
    @Configuration(proxyBeanMethods = false)
    static class FailsLate {
        static volatile boolean nodeRan;

        @Bean
        Endless endless() {
            return new Endless();
        }

        @Bean
        SmartLifecycle late(ApplicationNode node) {
            return new SmartLifecycle() {
                @Override
                public void start() {
                    nodeRan = node.isRunning();
                    throw new IllegalStateException("too late");
                }

                @Override
                public void stop() {}

                @Override
                public boolean isRunning() {
                    return false;
                }
            };
        }
    }

    @Test
    void start_thatFailsBehindTheNode_stopsTheNode() {
        assertThat(catchThrowable(() -> Application.start(database, FailsLate.class)))
                .hasStackTraceContaining("too late");
        assertThat(FailsLate.nodeRan).isTrue();
        assertThat(database.value("SELECT count(*) FROM howdah_internal.node")).isEqualTo("0");
    }
}
