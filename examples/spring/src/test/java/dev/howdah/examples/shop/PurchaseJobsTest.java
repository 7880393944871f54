package dev.howdah.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.spring.test.HowdahSpringTest;
import dev.howdah.testkit.TestJobs;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

/** A purchase that lasts for days, by the test's clock. */
@HowdahSpringTest
class PurchaseJobsTest {
    private final TestJobs jobs;
    private final JdbcTemplate jdbc;

    PurchaseJobsTest(@Autowired TestJobs jobs, @Autowired JdbcTemplate jdbc) {
        this.jobs = jobs;
        this.jdbc = jdbc;
    }

    @Test
    void purchase_isPackedAndReported() {
        long id = jobs.jobs().add(PurchaseJobs.PURCHASE, 17);
        jobs.drain();
        jobs.assertSuspended("purchase", "approval");
        jobs.jobs().signal(id, "approval", true);
        jobs.drain();
        jobs.assertNoneFailed();
        List<String> lines =
                jdbc.queryForList("SELECT line FROM ledger WHERE purchase = 17 ORDER BY line", String.class);
        assertThat(lines)
                .hasSize(12)
                .startsWith("charge", "parcel 1", "parcel 10")
                .endsWith("parcel 9", "report 5500 g");
    }
}
