package dev.howdah.examples.quarkus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.query.JobState;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The application runs jobs from its start until it stops. */
@QuarkusTest
@QuarkusTestResource(ShopDatabase.class)
@SuppressWarnings("NullAway.Init") // injected
class QuarkusShopTest {
    @Inject
    Orders orders;

    @Inject
    Jobs jobs;

    @Inject
    Event<ShutdownEvent> shutdown;

    TestDatabase database;

    @Test
    void order_isConfirmedOnce_byItsJob_orIsRefusedWithIt() throws Exception {
        assertThatThrownBy(() -> orders.place(" ")).hasMessage("an order needs a customer");
        orders.place("Ann");
        String job =
                Objects.requireNonNull(database.value("SELECT id FROM howdah.jobs WHERE kind = 'confirm'"), "no job");
        assertThat(jobs.await(Long.parseLong(job), Duration.ofSeconds(60)).state())
                .isEqualTo(JobState.DONE);
        assertThat(database.query(
                        "SELECT customer, confirmed, attempt FROM orders, howdah.jobs WHERE kind = 'confirm'"))
                .containsExactly(List.of("Ann", "1", "2"));
        assertThat(database.value("SELECT count(*) FROM howdah_internal.node")).isEqualTo("1");
        shutdown.fire(new ShutdownEvent());
        assertThat(database.value("SELECT count(*) FROM howdah_internal.node")).isEqualTo("0");
    }
}
