package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a role that may connect, and nothing else, can do with locks and notifications. */
@PostgresTest
@Tag("long")
class JobForeignRoleTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);

    private final JobsDatabase database;
    private final TestDatabase raw;
    private final String mallory;

    JobForeignRoleTest(TestDatabase database) {
        this.raw = database;
        this.database = JobsDatabase.in(database);
        this.mallory = "mallory_" + database.name();
    }

    @BeforeEach
    void makeRole() {
        database.execute("CREATE ROLE \"" + mallory + "\" LOGIN");
    }

    @AfterEach
    void dropRole() {
        database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + mallory
                + "'; DROP ROLE \"" + mallory + "\"");
    }

    private Connection mallory() throws SQLException {
        return JobsDatabase.as(raw, mallory).getConnection();
    }

    private void batchOfADeadNode() {
        database.execute("SELECT howdah.add('default', 'work', '\"x\"'::json);"
                + " INSERT INTO howdah_internal.node (name, features) VALUES ('dead', '{job}');"
                + " INSERT INTO howdah_internal.batch (node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kind, payloads)"
                + " SELECT (SELECT max(id) FROM howdah_internal.node), (SELECT min(id) FROM howdah_internal.lane), true, false, 1, 101, 101,"
                + " '{101}', now(), 'work', ARRAY['\"x\"']::json[]");
    }

    @Test // the work of the dead node is recovered all the same
    void lockOfADeadNode_heldByAnotherRole_sessionIsEndedAndItsWorkGoesOn() throws SQLException {
        batchOfADeadNode();
        try (Connection holder = mallory();
                Statement statement = holder.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(1215264874, n) FROM generate_series(1, 50) n");
            try (Jobs jobs = database.jobs().handle(WORK, (payload, job) -> {}).start()) {
                assertThat(jobs.node()).isGreaterThan(50);
                database.awaitLetters(101, "xd");
            }
            assertThat(holder.isValid(5)).isFalse();
        }
    }

    @Test // a node that may not end the session: it does not believe that the node lives, but waits longer
    void lockOfADeadNode_heldByAnotherRoleThatMayNotBeEnded_itsWorkGoesOn() throws SQLException {
        batchOfADeadNode();
        String worker = "worker_" + raw.name();
        database.execute("CREATE ROLE \"" + worker + "\" LOGIN; SELECT howdah.allow('\"" + worker + "\"', 'worker')");
        try (Connection holder = mallory();
                Statement statement = holder.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(1215264874, n) FROM generate_series(1, 50) n");
            try (Jobs jobs = Jobs.on(JobsDatabase.as(raw, worker))
                    .handle(WORK, (payload, job) -> {})
                    .start()) {
                assertThat(jobs.node()).isGreaterThan(50);
                JobsDatabase.awaiting("it was done")
                        .atMost(Patience.LIMIT)
                        .until(() -> database.letters(101), "xd"::equals);
            }
            assertThat(holder.isValid(5)).isTrue();
        } finally {
            database.execute("DROP OWNED BY \"" + worker + "\"; DROP ROLE \"" + worker + "\"");
        }
    }

    @Test // a node needs no more than that; a look that ends the session of another role has seen it
    void lockOfANode_heldByARoleThatMayInsertIntoColumns_isLeftAlone() throws SQLException {
        batchOfADeadNode();
        String part = "part_" + raw.name();
        database.execute("CREATE ROLE \"" + part + "\" LOGIN; GRANT USAGE ON SCHEMA howdah TO \"" + part
                + "\"; GRANT INSERT (name) ON howdah_internal.node TO \"" + part + "\"");
        try (Connection foreign = mallory();
                Statement first = foreign.createStatement();
                Connection node = JobsDatabase.as(raw, part).getConnection();
                Statement second = node.createStatement()) {
            second.execute("SELECT pg_advisory_lock(1215264874, 1001)");
            first.execute("SELECT pg_advisory_lock(1215264874, 1002)");
            try (Jobs jobs = database.jobs().handle(WORK, (payload, job) -> {}).start()) {
                assertThat(jobs.node()).isPositive();
                JobsDatabase.awaiting("the foreign session has ended")
                        .atMost(Patience.LIMIT)
                        .until(() -> !foreign.isValid(30));
                assertThat(node.isValid(30)).isTrue();
            }
        } finally {
            database.execute("DROP OWNED BY \"" + part + "\"; DROP ROLE \"" + part + "\"");
        }
    }

    @Test // neither heap nor threads nor statements for each of them
    void notifications_aHundredThousand_jobsStartAndNothingIsCancelled() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        try (Jobs jobs = database.jobs()
                        .concurrency(4)
                        .handle(WORK, (payload, job) -> {
                            if (payload.equals("long")) over.await();
                        })
                        .start();
                Connection sender = mallory();
                Statement statement = sender.createStatement()) {
            long running = jobs.add(WORK, "long");
            database.awaitLetters(running, "?");
            for (String channel : List.of("howdah_job", "howdah_job_cancel", "howdah_job_order", "howdah_job_schedule"))
                statement.execute(
                        "DO $$ BEGIN FOR i IN 1..25000 LOOP PERFORM pg_notify('" + channel
                                + "', CASE WHEN i % 3 = 0 THEN repeat('9', 3000 + i % 1000) ELSE i::text END); END LOOP; END $$");

            database.awaitLetters(jobs.add(WORK, "short"), "d");
            assertThat(database.letters(running))
                    .as("a forged cancellation ends nothing")
                    .isEqualTo("?");
            over.countDown();
            database.awaitLetters(running, "d");
        } finally {
            over.countDown();
        }
    }
}
