package dev.howdah.examples.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Processes;
import dev.howdah.testkit.TestProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What becomes of an order that is a process, by the test's clock. */
@PostgresTest
class OrderProcessTest {
    private final PGSimpleDataSource source = new PGSimpleDataSource();

    OrderProcessTest(TestDatabase database) {
        source.setURL(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
    }

    private TestProcesses test() {
        return TestProcesses.of(source, Processes.on(source).namespace(OrderProcess.ORDERS));
    }

    @Test
    void order_thatIsApproved_isPackedAndReported() {
        try (TestProcesses test = test()) {
            test.processes().init("order", "17", null);
            assertThatThrownBy(() -> test.processes().call("order", "17", "approve"))
                    .isInstanceOf(ProcessException.class)
                    .hasMessageContaining("the order is COOLING");
            test.advance(Duration.ofDays(4));
            assertThat(test.processes().call("order", "17", "approve").as(String.class))
                    .isEqualTo("approved");
            test.runDue();
            List<Object> events = new ArrayList<>(List.of("charge", "cool", "approved"));
            for (int i = 1; i <= 10; i++) events.add("parcel " + i);
            events.add("report 5500 g");
            test.assertEvents("order", "17", events.toArray());
        }
    }

    @Test
    void order_thatIsNotApproved_isRefunded() {
        try (TestProcesses test = test()) {
            test.processes().init("order", "17", null);
            test.advance(Duration.ofDays(11));
            test.assertEvents("order", "17", "charge", "cool", "refund");
        }
    }
}
