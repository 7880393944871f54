package dev.howdah.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.Action;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.Processes;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

@PostgresTest
class TestProcessesTest {
    private final DataSource source;
    private final AtomicInteger months = new AtomicInteger();

    /** Bills each month; a trial of 14 days comes first. */
    private final Namespace subscription = Namespace.builder("subscription", (task, process) -> switch (task.type()) {
                case INIT -> Intent.of(Action.timeout(Duration.ofDays(14))).event("trial");
                case TIMEOUT -> {
                    if (months.get() == 3) throw new IllegalStateException("the card is blocked");
                    yield Intent.of(Action.timeout(Duration.ofDays(30))).event("bill " + months.incrementAndGet());
                }
                default ->
                    Intent.of(Action.suspend())
                            .event(task.args().as(String.class))
                            .response("ok");
            })
            .outbox(true)
            .build();

    TestProcessesTest(TestDatabase database) {
        PGSimpleDataSource direct = new PGSimpleDataSource();
        direct.setURL(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
        source = database.dataSource(direct);
    }

    private TestProcesses processes() {
        return TestProcesses.of(source, Processes.on(source).namespace(subscription));
    }

    @Test
    void advance_timersFireEachAtItsTime() {
        try (TestProcesses processes = processes()) {
            processes.processes().init("subscription", "ann", null);
            processes.assertEvents("subscription", "ann", "trial");
            processes.advance(Duration.ofDays(13));
            processes.assertEvents("subscription", "ann", "trial");
            processes.advance(Duration.ofDays(2 + 30));
            processes.assertEvents("subscription", "ann", "trial", "bill 1", "bill 2");
            assertThat(processes
                            .processes()
                            .call("subscription", "ann", "cancelled")
                            .as(String.class))
                    .isEqualTo("ok");
            processes.advance(Duration.ofDays(365));
            processes.assertEvents("subscription", "ann", "trial", "bill 1", "bill 2", "cancelled");
            processes.assertStatus("subscription", "ann", ProcessStatus.RUNNING);
            assertThatThrownBy(() -> processes.assertEvents("subscription", "ann", "trial"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("process ann of subscription has the events [\"trial\", \"bill 1\"")
                    .hasMessageEndingWith("not [\"trial\"]");
        }
    }

    @Test
    void notices_ofProcessesThatFail_areSeen() {
        try (TestProcesses processes = processes()) {
            processes.processes().init("subscription", "bob", null);
            processes.processes().notify("subscription", "bob", "hello");
            processes.runDue();
            processes.assertEvents("subscription", "bob", "trial", "hello");
            processes.processes().init("subscription", "eve", null);
            processes.advance(Duration.ofDays(200));
            processes.assertStatus("subscription", "eve", ProcessStatus.ERROR);
            processes.assertNotice("subscription", "eve", "failed");
            processes.assertNotice("subscription", "bob", "created");
            assertThat(processes.notices())
                    .filteredOn(
                            each -> each.process().equals("eve") && each.kind().equals("event"))
                    .extracting(SeenNotice::payload)
                    .containsExactly("\"trial\"", "\"bill 1\"", "\"bill 2\"", "\"bill 3\"");
            assertThatThrownBy(() -> processes.assertNotice("subscription", "bob", "removed"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("no notice removed about process bob of subscription, only [");
            assertThatThrownBy(() -> processes.assertStatus("subscription", "eve", ProcessStatus.RUNNING))
                    .hasMessageContaining("is ERROR, not RUNNING: ")
                    .hasMessageContaining("the card is blocked");
        }
    }
}
