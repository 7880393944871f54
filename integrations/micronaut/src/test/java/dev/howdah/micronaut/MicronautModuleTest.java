package dev.howdah.micronaut;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.query.JobState;
import dev.howdah.testkit.TestJobs;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.exceptions.BeanInstantiationException;
import io.micronaut.health.HealthStatus;
import io.micronaut.inject.qualifiers.Qualifiers;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.annotation.Liveness;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Applications with the module: beans, methods that handle jobs, transactions. */
@PostgresTest
class MicronautModuleTest {
    private final TestDatabase database;

    MicronautModuleTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void table() {
        database.execute("CREATE TABLE orders (id bigserial PRIMARY KEY, customer text, confirmed int DEFAULT 0)");
    }

    private String nodes() {
        return String.valueOf(database.value("SELECT count(*) FROM howdah_internal.node"));
    }

    @Test
    void order_isConfirmedOnce_byItsJob_orIsRefusedWithIt() throws Exception {
        try (ApplicationContext application = Applications.start(database, Map.of())) {
            assertThat(nodes()).isEqualTo("1");
            Orders orders = application.getBean(Orders.class);
            assertThatThrownBy(() -> orders.place(" ")).hasMessage("an order needs a customer");
            long job = orders.place("Ann");
            Jobs jobs = application.getBean(Jobs.class);
            assertThat(jobs.await(job, Duration.ofSeconds(60)).state()).isEqualTo(JobState.DONE);
            assertThat(database.query(
                            "SELECT customer, confirmed, attempt FROM orders, howdah.jobs WHERE kind = 'confirm'"))
                    .containsExactly(List.of("Ann", "1", "2"));
            assertThat(jobs.schedules().find("digest")).isPresent();
            assertThat(application.getBeansOfType(HealthIndicator.class))
                    .extracting(each -> Mono.from(each.getResult()).block())
                    .filteredOn(each -> each.getName().equals("howdah"))
                    .singleElement()
                    .matches(each -> each.getStatus().equals(HealthStatus.UP))
                    .satisfies(each -> assertThat(each.getDetails().toString()).contains("jobs=node "));
            assertThat(liveness(application)).isEqualTo(HealthStatus.UP);
        }
        assertThat(nodes()).isEqualTo("0");
    }

    private static HealthStatus liveness(ApplicationContext application) {
        return application.getBeansOfType(HealthIndicator.class, Qualifiers.byStereotype(Liveness.class)).stream()
                .map(each -> requireNonNull(Mono.from(each.getResult()).block()))
                .filter(each -> each.getName().equals("howdah node"))
                .findFirst()
                .orElseThrow()
                .getStatus();
    }

    @Test
    void nodeWithoutADatabase_isNotLiveForLong() throws Exception {
        try (TestDatabase other = TestDatabase.create(database.server());
                ApplicationContext application =
                        Applications.start(database, Map.of("howdah.health.max-lost", "10ms"))) {
            assertThat(liveness(application)).isEqualTo(HealthStatus.UP);
            String name = database.name();
            other.execute("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false");
            other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'");
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> liveness(application).equals(HealthStatus.DOWN));
            other.execute("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true");
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> liveness(application).equals(HealthStatus.UP));
        }
    }

    @Test
    void test_runsJobsWithoutANode() throws Exception {
        try (ApplicationContext application = Applications.start(database, Map.of("howdah.jobs.enabled", false))) {
            assertThat(nodes()).isEqualTo("0");
            TestJobs test = application.getBean(TestJobs.class);
            application.getBean(Orders.class).place("Ann");
            test.assertAdded(Orders.CONFIRM, 1L);
            assertThat(test.drain()).isEqualTo(2);
            assertThat(database.value("SELECT confirmed FROM orders")).isEqualTo("1");
        }
    }

    @Test
    void test_isRefusedWhereANodeRuns() {
        try (ApplicationContext application = Applications.start(database, Map.of())) {
            assertThatThrownBy(() -> application.getBean(TestJobs.class))
                    .isInstanceOf(BeanInstantiationException.class)
                    .hasStackTraceContaining("Set howdah.jobs.enabled=false for tests.");
        }
    }

    @Test
    void dataSource_thatHasAName_hasBeansOfItsOwn() throws Exception {
        try (TestDatabase other = TestDatabase.create();
                ApplicationContext application = Applications.start(
                        database,
                        Map.of(
                                "datasources.stock.url",
                                Applications.url(other),
                                "datasources.stock.username",
                                "postgres",
                                "howdah.datasources.stock.node-name",
                                "stock"))) {
            Jobs stock = application.getBean(Jobs.class, Qualifiers.byName("stock"));
            assertThat(stock).isNotSameAs(application.getBean(Jobs.class));
            stock.add(Kind.of("count", Long.class), 1L);
            assertThat(other.value("SELECT count(*) FROM howdah.jobs")).isEqualTo("1");
            assertThat(database.value("SELECT count(*) FROM howdah.jobs WHERE kind = 'count'"))
                    .isEqualTo("0");
        }
    }
}
