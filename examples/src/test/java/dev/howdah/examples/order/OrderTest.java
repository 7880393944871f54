package dev.howdah.examples.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.testkit.TestJobs;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What becomes of an order, by the test's clock. */
@PostgresTest
class OrderTest {
    private final TestDatabase database;
    private final PGSimpleDataSource source = new PGSimpleDataSource();

    OrderTest(TestDatabase database) {
        this.database = database;
        source.setURL(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
        database.execute("CREATE TABLE ledger (purchase integer NOT NULL, line text NOT NULL)");
    }

    private TestJobs test() {
        return TestJobs.of(source, Order.handledBy(Jobs.on(source)));
    }

    private String lines() {
        return String.valueOf(database.value("SELECT string_agg(line, ', ' ORDER BY line) FROM ledger"));
    }

    @Test
    void order_thatIsApproved_isPackedAndReported() {
        try (TestJobs test = test()) {
            long id = test.jobs().add(Order.ORDER, 17);
            test.drain();
            test.assertSuspended("order", "approval");
            assertThat(lines()).isEqualTo("charge");
            test.jobs().signal(id, "approval", true);
            test.drain();
            test.assertNoneFailed();
            assertThat(test.suspended()).isEmpty();
        }
        assertThat(lines())
                .isEqualTo("charge, parcel 1, parcel 10, parcel 2, parcel 3, parcel 4, parcel 5, parcel 6, parcel 7,"
                        + " parcel 8, parcel 9, report 5500 g");
    }

    @Test
    void order_thatIsNotApproved_isRefunded() {
        try (TestJobs test = test()) {
            test.jobs().add(Order.ORDER, 17);
            test.runFor(Duration.ofDays(9));
            assertThat(lines()).isEqualTo("charge");
            test.runFor(Duration.ofDays(2));
        }
        assertThat(lines()).isEqualTo("charge, refund");
    }
}
