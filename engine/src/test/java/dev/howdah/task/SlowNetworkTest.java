package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TcpProxy;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A scheduler whose statements take long each, as those of one far from its database, or on a busy machine. */
@PostgresTest
@Tag("long")
class SlowNetworkTest {
    private final TestDatabase database;

    SlowNetworkTest(TestDatabase database) {
        this.database = database;
    }

    /** What ends while the scheduler sleeps changes when the next tasks are due, and no writer rings for that. */
    @Test
    void planThatAnEndHasMoved_isKept() {
        try (TcpProxy network = TcpProxy.to("127.0.0.1", database.server().port());
                ServedTable tasks = ServedTable.begin(
                                database,
                                "postgresql://postgres@127.0.0.1:" + network.port() + "/" + database.name(),
                                "public",
                                "task")
                        .active()) {
            network.delayAnswers(Duration.ofMillis(120));
            for (String length : new String[] {"0.06", "0.09", "0.12", "0.15", "0.18", "0.21"}) {
                String group = tasks.newGroup();
                tasks.execute("INSERT INTO task (\"group\", input, max, drift) SELECT '" + group
                        + "', 'SELECT pg_sleep(" + length + ")', -700, true FROM generate_series(1, 2)");
                tasks.settled(group);
                assertThat(tasks.value(
                                "SELECT max(start) - max(plan) < '4 s' FROM task WHERE \"group\" = '" + group + "'"))
                        .as(length)
                        .isEqualTo("t");
            }
        }
    }
}
