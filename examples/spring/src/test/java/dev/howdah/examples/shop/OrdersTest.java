package dev.howdah.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.job.Handler;
import dev.howdah.spring.test.HowdahSpringTest;
import dev.howdah.testkit.TestJobs;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

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

    /** The tenant that handlers see. */
    @TestConfiguration(proxyBeanMethods = false)
    static class Seen {
        final List<String> tenants = new CopyOnWriteArrayList<>();

        @Bean
        @Order(Ordered.LOWEST_PRECEDENCE)
        Handler.Interceptor seen() {
            return (payload, job, next) -> {
                if (job.kind().equals("confirm")) tenants.add(String.valueOf(MDC.get("tenant")));
                return next.proceed();
            };
        }
    }

    @Test
    void order_ofATenant_isConfirmedForIt(@Autowired Seen seen) {
        seen.tenants.clear();
        try (MDC.MDCCloseable tenant = MDC.putCloseable("tenant", "acme")) {
            orders.place("Bob");
            assertThat(tenant).isNotNull();
        }
        orders.place("Eve");
        jobs.runDue();
        assertThat(seen.tenants).containsExactlyInAnyOrder("acme", "null");
    }

    @Test
    void order_thatIsRefused_leavesNoJob() {
        assertThatThrownBy(() -> orders.place(" ")).hasMessage("an order needs a customer");
        jobs.assertNotAdded("confirm");
    }
}
