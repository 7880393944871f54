package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A node of a version that wrote less, beside nodes of today: neither what it takes stands in its row, nor the token and the width in its
 * batches. A program that is too old for the tables is refused when it starts: {@link JobMigrationTest}.
 */
@PostgresTest
class JobOlderNodeTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    private final JobsDatabase database;

    JobOlderNodeTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    /** Takes the first jobs of queue q, as a session of that node. */
    private static void claim(Connection session, int jobs) throws SQLException {
        try (Statement statement = session.createStatement()) {
            statement.execute("""
                    WITH node AS (
                        INSERT INTO howdah_internal.node (name, features) VALUES ('older', '{job}') RETURNING id
                    ), locked AS (
                        SELECT n.id, pg_advisory_lock(1215264874, n.id) FROM node n
                    ), taken AS (
                        DELETE FROM howdah_internal.job j
                        WHERE j.id IN (SELECT o.id FROM howdah_internal.job o ORDER BY o.id LIMIT %d FOR UPDATE)
                        RETURNING j.*
                    )
                    INSERT INTO howdah_internal.batch (
                        node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kind, payloads)
                    SELECT (SELECT id FROM locked), min(lane), true, false, count(*), min(id), max(id), array_agg(id),
                        min(run_at), 'work', array_agg(payload)
                    FROM taken""".formatted(jobs));
        }
    }

    @Test
    void jobsOfAnOlderNode_countUnderTheLimit_andAreRescuedWhenItDies() throws SQLException {
        database.execute("SELECT howdah.limit('q', 3)");
        int all = 12;
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Semaphore go = new Semaphore(0);
        Set<Integer> ran = ConcurrentHashMap.newKeySet();
        List<Jobs> nodes = new ArrayList<>();
        try (Connection older = database.connect()) {
            try (Jobs producer = database.jobs().start()) {
                for (int i = 0; i < all; i++) producer.add(NewJob.of(WORK, i).queue("q"));
            }
            claim(older, 2);
            for (int i = 0; i < 2; i++)
                nodes.add(database.jobs()
                        .queues("q")
                        .concurrency(5)
                        .handle(WORK, (number, job) -> {
                            most.accumulateAndGet(running.incrementAndGet(), Math::max);
                            go.acquire();
                            running.decrementAndGet();
                            ran.add(number);
                        })
                        .start());
            for (int done = 0; done < 6; done++) {
                int sofar = done;
                JobsDatabase.awaiting("one more runs").until(() -> ran.size() == sofar && running.get() == 1);
                go.release();
            }
            assertThat(most).hasValue(1);
            database.execute("SELECT howdah.add('q', 'nobody', '1')");
            assertThat(database.number(
                            "SELECT count(*) FROM howdah_internal.job j CROSS JOIN LATERAL howdah.why_job(j.id) w"
                                    + " WHERE j.kind = 'nobody' AND w.code = 'no-handler'"))
                    .as("it may be what the older node takes")
                    .isZero();
            older.close();
            JobsDatabase.awaiting("its two jobs count no more").until(() -> running.get() == 3);
            go.release(all);
            JobsDatabase.awaiting("all have run").until(() -> ran.size() == all);
            assertThat(most.get()).isEqualTo(3);
            JobsDatabase.awaiting("the row of the older node is gone")
                    .until(() -> database.number("SELECT count(*) FROM howdah_internal.node") == 2);
        } finally {
            go.release(all);
            nodes.forEach(Jobs::close);
        }
    }
}
