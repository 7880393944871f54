package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How many crashed nodes count against a job: those since it last got further. */
@PostgresTest
class JobCrashCountTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Sql GIVE_BACK = JobSql.JOB.statement("batch_give_back");

    private final JobsDatabase database;

    JobCrashCountTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    /** A node that has died twice with that job dies with it once more, in its attempt 3. */
    private void crash(long id) throws SQLException {
        database.execute(
                "WITH j AS (DELETE FROM howdah_internal.job RETURNING *) INSERT INTO howdah_internal.batch (node, lane, begun, alone,"
                        + " jobs, first_id, last_id, ids, run_at, kind, payloads, rest) SELECT 999, lane, true, true, 1, id, id,"
                        + " ARRAY[id], run_at, kind, ARRAY[payload], jsonb_build_object(id, '{\"p\": 0, \"a\": 2, \"d\": 2}'::jsonb)"
                        + " FROM j WHERE id = " + id);
        try (JobSession session = JobSession.open(ConnectionSource.of(database.dataSource()))) {
            session.update(GIVE_BACK, 999, 10, null, null, true);
        }
    }

    private long job() {
        try (ManualJobs manual = database.jobs().manual()) {
            return manual.jobs().add(WORK, "a");
        }
    }

    @Test
    void crash_thirdInARow_failsTheJob() throws SQLException {
        long id = job();
        database.execute("INSERT INTO howdah_internal.job_step VALUES (" + id + ", 'work', 'earlier', 2, now(), '1')");
        crash(id);
        assertThat(database.failed(id, "deaths")).isEqualTo("3");
    }

    @Test
    void crash_afterANewStepOfTheAttempt_isTheFirstAgain() throws SQLException {
        long id = job();
        database.execute("INSERT INTO howdah_internal.job_step VALUES (" + id + ", 'work', 'new', 3, now(), '1')");
        crash(id);
        assertThat(database.text("SELECT attempt || ' ' || deaths FROM howdah_internal.job"))
                .isEqualTo("3 1");
    }

    @Test
    void snooze_endsTheCount() {
        try (ManualJobs manual = database.jobs()
                .handleWithOutcome(WORK, (text, job) -> Outcome.snooze(Duration.ofHours(1)))
                .manual()) {
            manual.jobs().add(WORK, "a");
            database.execute("UPDATE howdah_internal.job SET deaths = 1");
            manual.runDue();
            assertThat(database.text("SELECT attempt || ' ' || deaths FROM howdah_internal.job"))
                    .isEqualTo("0 0");
        }
    }
}
