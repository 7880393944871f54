package dev.howdah.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.spring.test.HowdahSpringTest;
import dev.howdah.testkit.TestJobs;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Orders, with jobs that run when the test says so. */
@HowdahSpringTest
class OrdersTest {
    private final Orders orders;
    private final TestJobs jobs;

    OrdersTest(@Autowired Orders orders, @Autowired TestJobs jobs) {
        this.orders = orders;
        this.jobs = jobs;
    }

    @Test
    void order_isConfirmedByItsJob() {
        long order = orders.place("Ann");
        jobs.assertAdded(Orders.CONFIRM, new Confirmation(order));
        jobs.runDue();
        assertThat(orders.newest()).contains(new Orders.Order(order, "Ann", "confirmed"));
    }

    @Test
    void order_thatIsRefused_leavesNoJob() {
        assertThatThrownBy(() -> orders.place(" ")).hasMessage("an order needs a customer");
        jobs.assertNotAdded("confirm");
    }
}
