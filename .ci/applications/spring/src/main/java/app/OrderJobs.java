package app;

import dev.howdah.job.Job;
import dev.howdah.spring.JobHandler;
import dev.howdah.spring.JobSchedule;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

@Component
class OrderJobs {
    private static final Logger log = LoggerFactory.getLogger(OrderJobs.class);

    private final JdbcTemplate jdbc;

    OrderJobs(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

@@ docs/guide/spring.md / Handlers / 1
}
