package dev.howdah.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.query.JobState;
import dev.howdah.spring.internal.handler.HandlerMethods;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What an application has beside the starter's beans, and what changes in its pool while it runs. */
@PostgresTest
class SecondJobsTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    private final TestDatabase database;

    SecondJobsTest(TestDatabase database) {
        this.database = database;
    }

    /** Of other tables, as those of another database are. */
    @Configuration(proxyBeanMethods = false)
    static class TwoJobs {
        @Bean(destroyMethod = "close")
        Jobs reports(DataSource source) {
            return Jobs.on(source).schema("reports").start();
        }

        @Bean
        Object page(Jobs jobs, @Qualifier("reports") Jobs reports) {
            jobs.add(WORK, 1);
            reports.add(WORK, 2);
            return new Object();
        }
    }

    @Test
    void jobs_ofASecondBean_replaceNotThoseOfTheStarter() {
        ConfigurableApplicationContext application = Application.start(database, TwoJobs.class);
        try (application) {
            assertThat(database.value("SELECT string_agg(payload::text, '') FROM howdah_internal.job"))
                    .isEqualTo("1");
            assertThat(database.value("SELECT string_agg(payload::text, '') FROM reports_internal.job"))
                    .isEqualTo("2");
        }
    }

    static class Reporting {
        final BlockingQueue<String> done = new LinkedBlockingQueue<>();

        @JobHandler("work")
        void here(Integer payload) {
            done.add("here " + payload);
        }

        @JobHandler(value = "work", installation = "reports", transactional = true)
        void there(Integer payload, Connection connection) throws SQLException {
            done.add(connection.getCatalog() + ' ' + payload);
        }
    }

    /** One of another database, whose name is that of the test's followed by a word. */
    @Configuration(proxyBeanMethods = false)
    static class TwoInstallations {
        static final TestDatabase OTHER = TestDatabase.create();

        @Bean
        HowdahInstallation reports() {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(Application.url(OTHER));
            source.setUser("postgres");
            return HowdahInstallation.on(source);
        }

        @Bean
        Reporting reporting() {
            return new Reporting();
        }
    }

    @Test
    void installation_ofAnotherDatabase_hasItsOwnJobs_handlersAndTransactions() throws Exception {
        TestDatabase other = TwoInstallations.OTHER;
        try (other;
                ConfigurableApplicationContext application = Application.start(database, TwoInstallations.class)) {
            Reporting reporting = application.getBean(Reporting.class);
            application.getBean(Jobs.class).add(WORK, 1);
            assertThat(reporting.done.poll(Application.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo("here 1");
            application.getBean("reportsJobs", Jobs.class).add(WORK, 2);
            assertThat(reporting.done.poll(Application.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo(other.name() + " 2");
            Application.awaitValue(other, "SELECT state FROM howdah.jobs", "done");
            assertThat(database.value("SELECT count(*) FROM howdah.jobs")).isEqualTo("1");
        }
    }

    static class Lost {
        @JobHandler(value = "work", installation = "archive")
        void work(Integer payload) {}
    }

    @Test
    void installation_thatIsNotThere_isNamed() {
        assertThatThrownBy(() -> {
                    DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
                    beans.registerBeanDefinition("lost", new RootBeanDefinition(Lost.class));
                    new HandlerMethods(beans).find();
                })
                .hasMessageContaining("there is no bean HowdahInstallation with the name archive");
    }

    static class Handlers {
        @JobHandler("work")
        void work(Integer payload) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class OneHandler {
        @Bean
        Handlers handlers() {
            return new Handlers();
        }
    }

    @Test
    void node_whoseSessionsEndAfterTheLoginOfThePoolWasChanged_comesBackWithTheNewOne() throws Exception {
        String old = "old_of_" + database.name();
        String now = "new_of_" + database.name();
        database.execute("CREATE ROLE " + old + " SUPERUSER LOGIN");
        database.execute("CREATE ROLE " + now + " SUPERUSER LOGIN");
        try (ConfigurableApplicationContext application =
                Application.start(database, OneHandler.class, "spring.datasource.hikari.username=" + old)) {
            Jobs jobs = application.getBean(Jobs.class);
            assertThat(jobs.await(jobs.add(WORK, 1), Application.PATIENCE).attempt())
                    .isEqualTo(1);
            HikariDataSource pool = application.getBean(HikariDataSource.class);
            pool.getHikariConfigMXBean().setUsername(now);
            database.execute("ALTER ROLE " + old + " NOLOGIN");
            pool.getHikariPoolMXBean().softEvictConnections();
            database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + old + "'");
            // What was under way when the sessions ended fails.
            await("a job is added and done by the new login")
                    .atMost(Application.PATIENCE)
                    .ignoreExceptions()
                    .until(() ->
                            jobs.await(jobs.add(WORK, 2), Application.PATIENCE).state() == JobState.DONE);
        }
    }
}
