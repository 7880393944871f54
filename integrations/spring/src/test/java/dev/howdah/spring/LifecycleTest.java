package dev.howdah.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.process.Action;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.spring.internal.actuate.HowdahEndpoint;
import dev.howdah.spring.internal.actuate.NodeReport;
import dev.howdah.spring.internal.config.ConsoleLifecycle;
import dev.howdah.spring.internal.node.ApplicationNode;
import dev.howdah.spring.internal.node.SpringInstallations;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

/** The node with the application: its start, its stop, what the actuator and the meters say of it, and the console. */
@PostgresTest
class LifecycleTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    private final TestDatabase database;

    LifecycleTest(TestDatabase database) {
        this.database = database;
    }

    /** No beans of its own. */
    static class Empty {}

    /** A handler that ends when it is let, and needs the pool at its end. */
    static class Work {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch end = new CountDownLatch(1);
        private final JdbcTemplate jdbc;

        Work(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @JobHandler("work")
        void work(int payload) throws InterruptedException {
            begun.countDown();
            end.await();
            jdbc.update("INSERT INTO done VALUES (?)", payload);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Work.class)
    static class Beans {
        @Bean
        PrometheusMeterRegistry registry() {
            return new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        }

        @Bean
        Namespace order() {
            return Namespace.of("order", (task, process) -> switch (task.type()) {
                case CALL -> Intent.none().response("thank you").then(Action.suspend());
                default -> Intent.none();
            });
        }
    }

    private static String get(URI address) throws Exception {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.body();
    }

    @Test
    void node_stopsBeforeThePool_whenItsHandlersHaveEnded() throws Exception {
        database.execute("CREATE TABLE done (id int)");
        ConfigurableApplicationContext application = Application.start(
                database,
                Beans.class,
                "howdah.console.port=0",
                "howdah.console.label=test",
                "howdah.health.max-lag=1h");
        HikariDataSource pool = application.getBean(HikariDataSource.class);
        try {
            Jobs jobs = application.getBean(Jobs.class);
            Work work = application.getBean(Work.class);
            NodeReport report = application.getBean(NodeReport.class);
            SpringInstallations installations = application.getBean(SpringInstallations.class);
            assertThat(database.value("SELECT count(*) FROM howdah_internal.node"))
                    .isEqualTo("1");
            await("no connection of the pool is kept")
                    .atMost(Application.PATIENCE)
                    .until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);

            jobs.add(WORK, 1);
            work.begun.await();

            Processes processes = application.getBean(Processes.class);
            processes.init("order", "1", null);
            assertThat(processes.call("order", "1", "pay").as(String.class)).isEqualTo("thank you");
            assertThat(database.value(
                            "SELECT count(*) || ' ' || min(array_length(features, 1)) FROM howdah_internal.node"))
                    .as("the bean that calls is of the node that works")
                    .isEqualTo("1 2");

            NodeReport.Health health = report.health();
            assertThat(health.error()).isNull();
            assertThat(health.details()).containsEntry("database", "reachable");
            assertThat(String.valueOf(health.details())).contains("default={", "jobs=node ");
            assertThat(application.containsBean("howdahHealthIndicator")).isTrue();
            assertThat(report.info()).containsEntry("schema", "howdah").containsEntry("handlers", List.of("work"));
            Map<String, Object> endpoint = new HowdahEndpoint(report).howdah();
            assertThat(String.valueOf(endpoint)).contains("running=1");

            URI console = Objects.requireNonNull(
                    application.getBean(ConsoleLifecycle.class).address());
            assertThat(get(console.resolve("/"))).startsWith("200 ").contains("test");

            Thread closing = new Thread(application::close);
            closing.start();
            // Not before the handler has ended: the node waits for it, and the pool for the node.
            await().atMost(Application.PATIENCE)
                    .until(() -> installations.first().runsJobs() == null);
            assertThat(pool.isClosed()).isFalse();
            work.end.countDown();
            closing.join();
            assertThat(pool.isClosed()).isTrue();
            assertThat(database.value("SELECT string_agg(id::text, ',') FROM done"))
                    .isEqualTo("1");
            assertThat(database.value("SELECT string_agg(state, ',') FROM howdah.jobs"))
                    .isEqualTo("done");
            assertThat(database.value("SELECT count(*) FROM howdah_internal.node"))
                    .isEqualTo("0");
        } finally {
            application.close();
        }
    }

    @Test
    void meters_ofAnApplication_haveTheNamesOfTheDaemon_andTheNodeCanBeStartedAgain() throws Exception {
        database.execute("CREATE TABLE done (id int)");
        try (ConfigurableApplicationContext application = Application.start(
                database,
                Beans.class,
                "howdah.sessions.source=pool",
                "spring.datasource.hikari.maximum-pool-size=20")) {
            Jobs jobs = application.getBean(Jobs.class);
            Work work = application.getBean(Work.class);
            ApplicationNode node = application.getBean(ApplicationNode.class);
            NodeReport report = application.getBean(NodeReport.class);
            work.end.countDown();
            assertThat(application
                            .getBean(HikariDataSource.class)
                            .getHikariPoolMXBean()
                            .getActiveConnections())
                    .isPositive();
            jobs.await(jobs.add(WORK, 1), Application.PATIENCE);
            application.stop();
            assertThat(report.health().error()).isEqualTo("the node is stopped");
            long waits = jobs.add(WORK, 2);
            application.start();
            jobs.await(waits, Application.PATIENCE);
            assertThat(node.isRunning()).isTrue();
            assertThat(application.getBean(PrometheusMeterRegistry.class).scrape())
                    .contains("howdah_jobs_added_total{kind=\"work\",queue=\"default\"} 2.0")
                    .contains("howdah_jobs_ended_total{kind=\"work\",outcome=\"done\",queue=\"default\"}")
                    .contains("howdah_job_seconds_bucket{kind=\"work\"")
                    .contains("howdah_job_handler_seconds_count");
        }
    }

    @Test
    void console_withAProvider_asksForALogin_thatLeadsThere() throws Exception {
        try (ConfigurableApplicationContext application = Application.start(
                database,
                Empty.class,
                "howdah.console.port=0",
                "howdah.console.open-id.issuer=https://id.example.com",
                "howdah.console.open-id.client-id=howdah",
                "howdah.console.open-id.role.dba=administrator")) {
            URI console = Objects.requireNonNull(
                    application.getBean(ConsoleLifecycle.class).address());
            HttpResponse<String> page = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(console.resolve("/jobs"))
                                    .header("Accept", "text/html")
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(page.statusCode()).isIn(200, 401);
            assertThat(page.body())
                    .contains("href=\"/login/oidc", "id.example.com")
                    .doesNotContain("<h1>Jobs");
        }
    }
}
