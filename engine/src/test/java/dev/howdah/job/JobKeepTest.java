package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A program without handlers keeps what belongs to all programs, and nothing that they decide. */
@PostgresTest
class JobKeepTest {
    private final TestDatabase database;
    private final JobsDatabase jobs;
    private final Jobs keeper;

    JobKeepTest(TestDatabase database) {
        this.database = database;
        jobs = JobsDatabase.in(database);
        keeper = Jobs.on(Sources.of(database))
                .nodeName("keeper")
                .retention(Duration.ZERO, Duration.ZERO)
                .keepDatabase()
                .start();
    }

    @AfterEach
    void stop() {
        keeper.close();
    }

    @Test
    void schedule_withoutAnyHandler_addsItsJobs() {
        database.execute("SELECT howdah.schedule('s', 'default', 'tick', '1', cron => '* * * * * *')");
        Sources.awaitTrue(database, "SELECT count(*) > 0 FROM howdah.jobs WHERE kind = 'tick'");
        assertThat(database.value("SELECT string_agg(code, ' ') FROM howdah.why_schedule('s')"))
                .as("no node handles its jobs")
                .endsWith("due no-handler");
        assertThat(database.value("SELECT string_agg(code, ' ') FROM howdah.jobs j, howdah.why_job(j.id)"))
                .as("no node handles them")
                .isEqualTo("no-handler");
    }

    @Test
    void jobsOfACrashedNode_goBack() throws SQLException {
        database.execute("SELECT howdah.add('default', 'work', '1')");
        try (PassiveNode gone = new PassiveNode(jobs)) {
            assertThat(gone.claim()).hasSize(1);
        }
        Sources.awaitTrue(database, "SELECT count(*) = 1 FROM howdah_internal.job");
    }

    @Test
    void ruleOfRetention_isKept_andHistoryWithoutARuleStays() {
        database.execute("SELECT howdah.add('default', 'work', to_json(i)) FROM generate_series(1, 2) AS i");
        try (Jobs other = Jobs.on(Sources.of(database))
                .handle(Kind.of("work", Integer.class), (payload, job) -> {
                    if (payload == 2) throw new FatalException("no");
                })
                .start()) {
            Sources.awaitTrue(database, "SELECT count(*) = 0 FROM howdah_internal.job");
        }
        database.execute("SELECT howdah.retain('default', 'failed', '0')");
        Sources.awaitTrue(database, "SELECT count(*) = 0 FROM howdah_internal.failed");
        assertThat(database.value("SELECT count(*) > 0 FROM howdah_internal.batch WHERE ended IS NOT NULL"))
                .isEqualTo("t");
    }
}
