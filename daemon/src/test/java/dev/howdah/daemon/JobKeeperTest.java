package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** A daemon without {@code --queues} beside workers that ask by HTTP, and at times do not. */
@PostgresTest
class JobKeeperTest {
    private final TestDatabase database;

    JobKeeperTest(TestDatabase database) {
        this.database = database;
    }

    private boolean isTrue(String sql) {
        return "t".equals(database.value("SELECT " + sql));
    }

    @Test
    void daemonWithoutQueues_keepsSchedules_fromTheMomentThatTheTablesAreThere() throws SQLException {
        try (WorkedJobs daemon = WorkedJobs.in(database)) {
            assertThat(isTrue("to_regclass('howdah_internal.node') IS NULL"))
                    .as("it makes no tables")
                    .isTrue();
            try (Connection connection = database.connect()) {
                Jobs.install(connection);
            }
            database.execute("SELECT howdah.schedule('s', 'default', 'tick', '1', cron => '* * * * * *')");
            await().atMost(Patience.LIMIT).until(() -> isTrue("count(*) > 0 FROM howdah.jobs WHERE kind = 'tick'"));
        }
        assertThat(isTrue("count(*) = 0 FROM howdah_internal.node")).isTrue();
    }
}
