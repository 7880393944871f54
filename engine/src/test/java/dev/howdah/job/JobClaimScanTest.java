package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.batch.ScanBounds;
import dev.howdah.job.internal.store.JobSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which of the due jobs of a lane a claim takes: it passes over locked ones, and begins where the last one has seen the first. */
@PostgresTest
class JobClaimScanTest {
    private static final Sql KIND_MOVE = JobSql.JOB.statement("kind_move");

    private final JobsDatabase database;
    private final PassiveNode node;

    JobClaimScanTest(TestDatabase database) throws SQLException {
        this.database = JobsDatabase.in(database);
        node = new PassiveNode(this.database);
        try (Statement statement = node.session().connection().createStatement()) {
            // A claim that waits for a lock is to fail, and not to hang.
            statement.execute("SET lock_timeout = '3s'");
        }
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private void add(int jobs) {
        database.execute("SELECT howdah.add('default', 'work', i::text::json) FROM generate_series(1, " + jobs + ") i");
    }

    /** The payloads of claimed jobs; a claim has them in any order. */
    private static String payloads(List<ClaimedBatch> batches) {
        List<String> all = new ArrayList<>();
        for (ClaimedBatch batch : batches)
            for (int i = 0; i < batch.size(); i++)
                all.add(String.valueOf(batch.job(i).payload()));
        Collections.sort(all);
        return String.join(" ", all);
    }

    /** Another session has the first job locked. */
    private Connection lockFirst() throws SQLException {
        Connection locking = database.connect();
        locking.setAutoCommit(false);
        try (Statement statement = locking.createStatement()) {
            statement.execute("SELECT FROM howdah_internal.job j WHERE j.payload::text = '1' FOR UPDATE");
        }
        return locking;
    }

    @Test
    void dueJob_lockedByAnotherSession_othersOfItsLaneAreClaimed() throws SQLException {
        add(3);
        try (Connection locking = lockFirst()) {
            assertThat(payloads(node.claim())).isEqualTo("2 3");
            locking.rollback();
        }
        assertThat(payloads(node.claim())).isEqualTo("1");
    }

    @Test
    void dueJob_lockedByAnotherSession_othersAreClaimedWithinALimit() throws SQLException {
        add(3);
        try (Connection locking = lockFirst()) {
            assertThat(claimWithin()).isEqualTo("2 3");
            locking.rollback();
        }
        assertThat(claimWithin()).isEqualTo("1");
    }

    private String claimWithin() throws SQLException {
        return payloads(node.store()
                .claimWithin(node.lane("default"), 10, 10, ScanBounds.NONE)
                .batches());
    }

    @Test
    void dueJob_lockedByAnotherSession_othersAreMovedToTheLaneOfTheirKind() throws SQLException {
        add(3);
        int lane = (int) database.number(
                "INSERT INTO howdah_internal.lane (queue, kind) VALUES ('default', 'work') RETURNING id");
        String moved =
                "SELECT string_agg(j.payload::text, ' ' ORDER BY j.id) FROM howdah_internal.job j WHERE j.lane = "
                        + lane;
        try (Connection locking = lockFirst()) {
            assertThat(move(lane)).isEqualTo("2");
            assertThat(database.text(moved)).isEqualTo("2 3");
            locking.rollback();
        }
        assertThat(move(lane)).isEqualTo("1");
        assertThat(database.text(moved)).isEqualTo("1 2 3");
    }

    private String move(int lane) throws SQLException {
        return String.valueOf(
                node.ask(KIND_MOVE, node.lane("default").id(), new String[] {"work"}, new Integer[] {lane}, 100));
    }

    @Test // a node has given it back, and the next claim begins where that job was
    void dueJob_atTheBeginOfTheScan_isClaimed() throws SQLException {
        add(1);
        BatchStore.Claimed claimed = node.store().claim(List.of(), node.lane("default"), 10, ScanBounds.NONE);
        node.giveBack(claimed.batches().get(0));
        assertThat(claimed.lows()).containsOnlyKeys(0);
        assertThat(payloads(node.claim(new ScanBounds(claimed.lows(), 0, false))))
                .isEqualTo("1");
    }

    @Test // transactions that took their time before others commit after them
    void dueJob_littleBeforeTheBeginOfTheScan_isClaimedWithSlack() throws SQLException {
        add(1);
        String time = database.text("SELECT j.run_at + interval '150 ms' FROM howdah_internal.job j");
        Map<Integer, ScanBounds.Low> lows = Map.of(0, new ScanBounds.Low(time, 1_000_000));
        assertThat(payloads(node.claim(new ScanBounds(lows, 0, false)))).isEmpty();
        assertThat(payloads(node.claim(new ScanBounds(lows, 200, false)))).isEqualTo("1");
    }

    @Test // jobs that were added together have one time; their ids say nothing of the order of commits
    void dueJob_ofTheTimeOfTheBeginWithALowerId_isClaimedWithSlack() throws SQLException {
        add(1);
        String time = database.text("SELECT j.run_at + interval '200 ms' FROM howdah_internal.job j");
        Map<Integer, ScanBounds.Low> lows = Map.of(0, new ScanBounds.Low(time, 1_000_000));
        assertThat(payloads(node.claim(new ScanBounds(lows, 200, false)))).isEqualTo("1");
    }

    @Test
    void dueJob_ofAPriorityOfWhichNothingIsKnown_isClaimed() throws SQLException {
        add(1);
        database.execute("SELECT howdah.add('default', 'work', '2', priority => 5)");
        Map<Integer, ScanBounds.Low> lows = Map.of(0, new ScanBounds.Low("2100-01-01 00:00:00+00", 1_000_000));
        assertThat(payloads(node.claim(new ScanBounds(lows, 0, false)))).isEqualTo("2");
    }
}
