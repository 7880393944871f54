package dev.howdah.examples.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.query.JobState;
import io.micronaut.context.ApplicationContext;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The application runs jobs from its start until it stops. */
@PostgresTest
class MicronautShopTest {
    private final TestDatabase database;

    MicronautShopTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void order_isConfirmedOnce_byItsJob_orIsRefusedWithIt() throws Exception {
        database.execute("CREATE TABLE orders (id bigserial PRIMARY KEY, customer text, confirmed int DEFAULT 0)");
        try (ApplicationContext application = ApplicationContext.run(Map.of(
                "datasources.default.url",
                "jdbc:postgresql://" + database.uri().substring("postgresql://postgres@".length()),
                "datasources.default.username",
                "postgres"))) {
            assertThat(database.value("SELECT count(*) FROM howdah_internal.node"))
                    .isEqualTo("1");
            Orders orders = application.getBean(Orders.class);
            assertThatThrownBy(() -> orders.place(" ")).hasMessage("an order needs a customer");
            orders.place("Ann");
            String job = Objects.requireNonNull(
                    database.value("SELECT id FROM howdah.jobs WHERE kind = 'confirm'"), "no job");
            assertThat(application
                            .getBean(Jobs.class)
                            .await(Long.parseLong(job), Duration.ofSeconds(60))
                            .state())
                    .isEqualTo(JobState.DONE);
            assertThat(database.query(
                            "SELECT customer, confirmed, attempt FROM orders, howdah.jobs WHERE kind = 'confirm'"))
                    .containsExactly(List.of("Ann", "1", "2"));
        }
        assertThat(database.value("SELECT count(*) FROM howdah_internal.node")).isEqualTo("0");
    }
}
