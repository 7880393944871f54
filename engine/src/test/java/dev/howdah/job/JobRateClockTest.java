package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.batch.ScanBounds;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Rates after the clock of the server was set back: what was noted before is in the future then. */
@PostgresTest
class JobRateClockTest {
    private final JobsDatabase database;
    private final PassiveNode node;

    JobRateClockTest(TestDatabase database) throws SQLException {
        this.database = JobsDatabase.in(database);
        node = new PassiveNode(this.database);
        this.database.execute("SELECT howdah.add('default', 'work', '1') FROM generate_series(1, 20)");
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private BatchStore.Claimed claim() throws SQLException {
        return node.store().claimWithin(node.lane("default"), 20, 20, ScanBounds.NONE);
    }

    /** What is noted stays where it was, so that it is a day ahead of the clock. */
    private void setTheClockBackByADay() {
        database.execute(
                "UPDATE howdah_internal.rate_use u SET moments = ARRAY(SELECT m + 86400 FROM unnest(u.moments) m),"
                        + " spread = u.spread + 86400, until = u.until + interval '1 day'");
    }

    @Test
    void rate_isUsedUpWhenTheClockIsSetBack_jobsBegin() throws SQLException {
        database.execute("SELECT howdah.rate_limit('default', 4, '1 h')");
        assertThat(claim().jobs()).isEqualTo(4);
        assertThat(claim().jobs()).isZero();
        setTheClockBackByADay();
        assertThat(claim().jobs()).isEqualTo(4);
    }

    @Test
    void rate_afterTheClockWasSetBack_holds() throws SQLException {
        database.execute("SELECT howdah.rate_limit('default', 4, '1 h')");
        assertThat(claim().jobs()).isEqualTo(4);
        setTheClockBackByADay();
        assertThat(claim().jobs()).isEqualTo(4);
        BatchStore.Claimed none = claim();
        assertThat(none.jobs()).isZero();
        assertThat(none.lane().pacedMillis())
                .isBetween(1L, Duration.ofMinutes(61).toMillis());
    }

    @Test
    void burst_isUsedUpWhenTheClockIsSetBack_jobsBeginAndTheBurstHolds() throws SQLException {
        database.execute("SELECT howdah.rate_limit('default', 24, '1 day', burst => 3)");
        assertThat(claim().jobs()).isEqualTo(3);
        assertThat(claim().jobs()).isZero();
        setTheClockBackByADay();
        setTheClockBackByADay();
        assertThat(claim().jobs()).isEqualTo(3);
        BatchStore.Claimed none = claim();
        assertThat(none.jobs()).isZero();
        assertThat(none.lane().pacedMillis())
                .isBetween(1L, Duration.ofMinutes(61).toMillis());
    }
}
