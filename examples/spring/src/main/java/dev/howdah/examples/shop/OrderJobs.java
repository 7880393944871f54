package dev.howdah.examples.shop;

import dev.howdah.job.Job;
import dev.howdah.spring.JobHandler;
import dev.howdah.spring.JobSchedule;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/** The jobs of orders. */
@Component
class OrderJobs {
    private static final Logger log = LoggerFactory.getLogger(OrderJobs.class);

    private final JdbcTemplate jdbc;

    OrderJobs(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @JobHandler(
            value = "confirm",
            kinds = Orders.class,
            transactional = true,
            attempts = 5,
            backoff = "2s",
            noRetryFor = IllegalArgumentException.class)
    void confirm(Confirmation payload, Job job) {
        jdbc.update("UPDATE orders SET state = 'confirmed' WHERE id = ?", payload.order());
        log.info("order {} of attempt {} confirmed", payload.order(), job.attempt());
    }

    @JobHandler("report")
    @JobSchedule(cron = "0 6 * * MON-FRI", zone = "Europe/Berlin")
    long report() {
        Long orders = jdbc.queryForObject("SELECT count(*) FROM orders", Long.class);
        return orders == null ? 0 : orders;
    }
}
