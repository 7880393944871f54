package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RetryPolicy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Rows that have failed are tried again as the retry policy says. */
@PostgresTest
class SweepRetryTest {
    private static final int ROWS = 20;
    private static final String DELAY = "SELECT round(extract(epoch FROM retry_at - at)) FROM howdah.sweep_error";

    private final SweepDatabase database;
    private final Sweeps sweeps;
    private final List<String> asked = new CopyOnWriteArrayList<>();

    SweepRetryTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, ROWS);
        this.sweeps = Sweeps.on(this.database.dataSource());
    }

    private static void failAt7(SweepRow row) {
        if (row.getLong("id") == 7) throw new IllegalStateException("no such address");
    }

    private SweepError error() {
        return sweeps.errors("mailing", 2).get(0);
    }

    @Test
    void policy_isAskedWithTheNumberOfAttempts_andTheException() throws InterruptedException {
        RetryPolicy policy = (attempt, failure) -> {
            asked.add(attempt + ": " + failure.getMessage());
            return attempt < 3 ? Optional.of(Duration.ofMillis(10)) : Optional.empty();
        };
        try (Sweep sweep = database.mailing()
                .retries(policy)
                .forEachRow(SweepRetryTest::failAt7)
                .start()) {
            assertThat(sweep.join().failed()).isEqualTo(1);
        }
        assertThat(error().attempts()).isEqualTo(3);
        assertThat(error().retryAt()).isNull();
        assertThat(asked).contains("1: no such address", "2: no such address", "3: no such address");
    }

    @Test
    void delays_areThoseOfThePolicy_forEachAttempt() {
        try (Sweep sweep = database.mailing()
                .retries(RetryPolicy.after(Duration.ofMillis(10), Duration.ofHours(2)))
                .forEachRow(SweepRetryTest::failAt7)
                .start()) {
            SweepDatabase.awaiting("the second attempt")
                    .until(() -> sweeps.errors("mailing", 2).stream().anyMatch(each -> each.attempts() == 2));
            assertThat(database.number(DELAY)).isEqualTo(7_200);
            sweep.stop();
        }
        try (Sweep sweep = database.mailing()
                .retryFailed()
                .retries((attempt, failure) -> Optional.of(Duration.ofDays(365_000_000L)))
                .forEachRow(SweepRetryTest::failAt7)
                .start()) {
            SweepDatabase.awaiting("a first attempt")
                    .until(() -> sweeps.errors("mailing", 2).stream().anyMatch(each -> each.attempts() == 1));
            assertThat(database.number(DELAY)).isEqualTo(RetryPolicy.LONGEST.toSeconds());
            sweep.stop();
        }
    }

    @Test
    void policy_getsTheErrorOfTheDatabase_andDecidesByIt() throws InterruptedException {
        RetryPolicy policy = (attempt, failure) -> failure instanceof SQLException e && "22012".equals(e.getSQLState())
                ? Optional.empty()
                : Optional.of(Duration.ofHours(1));
        try (Sweep sweep = database.mailing()
                .retries(policy)
                .sql("SELECT 1 / (id - 7) FROM batch")
                .start()) {
            assertThat(sweep.join().failed()).isEqualTo(1);
        }
        assertThat(error().attempts()).isEqualTo(1);
        assertThat(error().error()).isEqualTo("division by zero");
    }

    @Test
    void errors_thatDifferInNumbersOnly_areOneGroup() throws InterruptedException {
        try (Sweep sweep = database.mailing()
                .retries((attempt, failure) -> Optional.empty())
                .forEachRow(row -> {
                    long id = row.getLong("id");
                    if (id <= 3) throw new IllegalStateException("no address for \"p" + id + "\"");
                    if (id == 7) throw new IllegalStateException("mailbox full");
                })
                .start()) {
            assertThat(sweep.join().failed()).isEqualTo(4);
        }
        List<SweepErrorGroup> groups = sweeps.errorGroups("mailing", 10);
        assertThat(groups)
                .extracting(SweepErrorGroup::error)
                .containsExactly(
                        "java.lang.IllegalStateException: no address for \"...\"",
                        "java.lang.IllegalStateException: mailbox full");
        assertThat(groups).extracting(SweepErrorGroup::rows).containsExactly(3L, 1L);
        assertThat(groups.get(0).waiting()).isZero();
        assertThat(groups.get(0).first()).isBeforeOrEqualTo(groups.get(0).last());
        assertThat(groups.get(1).example()).containsExactly("7");
        assertThat(sweeps.errorGroups("mailing", 1)).hasSize(1);
    }

    @Test
    void policy_thatThrows_failsTheRowForGood() throws InterruptedException {
        try (Sweep sweep = database.mailing()
                .retries((attempt, failure) -> {
                    throw new IllegalArgumentException("broken");
                })
                .forEachRow(SweepRetryTest::failAt7)
                .start()) {
            assertThat(sweep.join().failed()).isEqualTo(1);
        }
        assertThat(error().error())
                .startsWith("java.lang.IllegalStateException: no such address")
                .contains("; and its retry policy failed: java.lang.IllegalArgumentException: broken");
        assertThat(database.mails()).isEqualTo("0:1 1:" + (ROWS - 1));
    }

    @Test
    void policy_withNegativeDelay_failsTheRowForGood() throws InterruptedException {
        try (Sweep sweep = database.mailing()
                .retries((attempt, failure) -> Optional.of(Duration.ofSeconds(-1)))
                .forEachRow(SweepRetryTest::failAt7)
                .start()) {
            assertThat(sweep.join().failed()).isEqualTo(1);
        }
        assertThat(error().error()).contains("a delay of PT-1S is negative");
    }

    @Test
    @SuppressWarnings("NullAway")
    void policy_null_isRefused() {
        assertThatThrownBy(() -> database.mailing().retries(null)).hasMessage("a retry policy is needed, not null");
    }
}
