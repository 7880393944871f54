package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.job.workflow.After;
import dev.howdah.job.workflow.Workflow;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Least rights: handlers in the job's transaction as a role that has no right on the tables of jobs. */
class JobDelegateTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);

    /** A database with jobs, and a role that may handle those of kind work in the queue default. */
    private static final class Place implements AutoCloseable {
        private final TestDatabase server;
        private final JobsDatabase database;
        private final String role;

        Place(int major) {
            server = TestDatabase.create(TestServer.of(major));
            database = JobsDatabase.in(server);
            role = server.name() + "_handler";
            database.execute("CREATE ROLE " + role + " LOGIN; CREATE TABLE effect (job bigint, who text);"
                    + "GRANT INSERT ON effect TO " + role + "; SELECT howdah.allow('" + role + "', 'handler');"
                    + "SELECT howdah.delegate('default', 'work', '" + role + "')");
        }

        PGSimpleDataSource handler() {
            PGSimpleDataSource source = database.source();
            source.setUser(role);
            return source;
        }

        JobsBuilder jobs() {
            return database.jobs()
                    .defaultRetries(RetryPolicy.never())
                    .handleInTransaction(WORK, handler(), Place::handle);
        }

        private static void handle(String payload, Job job, Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO effect VALUES (" + job.id() + ", session_user)");
                if (payload.length() < 1000) statement.execute(payload);
                job.result("fine");
            }
        }

        @Override
        public void close() {
            database.execute("DROP OWNED BY " + role + " CASCADE; DROP ROLE " + role);
            server.close();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void workflow_ofJobsOfSuchHandlers_isCounted(int major) {
        try (Place place = new Place(major);
                Jobs jobs = place.jobs().start()) {
            long workflow = jobs.workflows()
                    .add(Workflow.of("delegated")
                            .job("first", NewJob.of(WORK, "SELECT 1"))
                            .job("second", NewJob.of(WORK, "SELECT 2"), After.done("first"))
                            .jobs(List.of(NewJob.of(WORK, "SELECT 3"))));
            JobsDatabase.awaiting("all are done")
                    .until(() -> jobs.workflows().find(workflow).orElseThrow().done() == 3);
            assertThat(jobs.workflows().jobs(workflow).get(0).result()).isEqualTo("\"fine\"");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void handler_asARoleWithoutRights_effectsAndOutcomeCommitTogether(int major) {
        try (Place place = new Place(major);
                Jobs jobs = place.jobs().start()) {
            long plain = jobs.add(WORK, "SELECT 1");
            long large = jobs.add(WORK, "x".repeat(20_000));
            long keyed = jobs.add(NewJob.of(WORK, "SELECT 1").key("k")).id();
            long first = jobs.add(NewJob.of(WORK, "SELECT 1").orderKey("o")).id();
            long second = jobs.add(NewJob.of(WORK, "SELECT 1").orderKey("o")).id();
            long fails = jobs.add(WORK, "SELECT 1/0");
            for (long each : List.of(plain, large, keyed, first, second)) place.database.awaitLetters(each, "d");
            place.database.awaitFailed(fails);
            assertThat(place.database.attempt(plain, "result #>> '{}'")).isEqualTo("fine");
            assertThat(place.database.text("SELECT string_agg(job || who, ' ' ORDER BY job) FROM effect"))
                    .isEqualTo(IntStream.of((int) plain, (int) large, (int) keyed, (int) first, (int) second)
                            .sorted()
                            .mapToObj(id -> id + place.role)
                            .reduce((a, b) -> a + " " + b)
                            .orElseThrow());
            assertThat(place.database.number("SELECT count(*) FROM howdah_internal.body"))
                    .isZero();
            assertThat(jobs.add(NewJob.of(WORK, "SELECT 1").key("k")).added()).isTrue();
            place.database.awaitEmpty();
        }
    }

    @Test // what a producer can make the role do is what the role may do
    void statement_reachesForMore_isRefused() {
        try (Place place = new Place(TestServer.NEWEST);
                Jobs jobs = place.jobs().start()) {
            long other = jobs.add(NewJob.of(WORK, "other").queue("other")).id();
            place.database.execute(
                    "INSERT INTO howdah_internal.batch (node, token, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kind, payloads)"
                            + " SELECT n.id, 5, l.id, true, true, 1, 5000, 5000, '{5000}', now(), 'work', '{null}'"
                            + " FROM howdah_internal.lane l, howdah_internal.node n WHERE l.queue = 'other'");
            for (String evil : List.of(
                    "SELECT * FROM howdah_internal.job",
                    "UPDATE howdah_internal.batch SET outcomes = 'f'",
                    "SELECT howdah.cancel(" + other + ")",
                    "SELECT howdah.delegate('other', 'work', session_user)",
                    "SELECT howdah_internal.keys_settle('{1}', true)",
                    "SET ROLE postgres",
                    "RESET ROLE; SET SESSION AUTHORIZATION DEFAULT; DELETE FROM howdah_internal.job"))
                assertThat(failure(place, jobs, evil)).as(evil).contains("permission denied");
            assertThat(failure(place, jobs, "SELECT howdah_internal.begin_own(98, 1, 5)"))
                    .isEqualTo("none");
            place.database.execute("GRANT SELECT ON howdah_internal.batch TO " + place.role);
            String begin =
                    "SELECT howdah_internal.begin_own(b.node, b.id, b.token) FROM howdah_internal.batch b WHERE b.first_id = 5000";
            assertThat(failure(place, jobs, begin))
                    .contains("may not end jobs of kind \"work\" in queue \"other\"")
                    .contains("howdah.delegate('other', 'work', '" + place.role + "')");
            assertThat(failure(
                            place,
                            jobs,
                            "SELECT set_config('howdah.own_batch', b.id || ' 5', true), howdah_internal.end_own(b.node, b.id, 5000, NULL, 0, 0, 5)"
                                    + " FROM howdah_internal.batch b WHERE b.first_id = 5000"))
                    .contains("has ended the job's transaction");
            assertThat(place.database.number(
                            "SELECT count(*) FROM howdah_internal.batch WHERE first_id = 5000 AND ended IS NULL"))
                    .isEqualTo(1);
        }
    }

    /** With what a job of that statement has failed; "none" if it was done. */
    private static String failure(Place place, Jobs jobs, String statement) {
        long id = jobs.add(WORK, statement);
        JobsDatabase.awaiting(statement + " has ended")
                .until(() -> place.database.letters(id).matches("[df]"));
        return place.database.letters(id).equals("d") ? "none" : place.database.failed(id, "error");
    }

    @Test
    void statement_endsTheTransaction_fails() {
        try (Place place = new Place(TestServer.NEWEST);
                Jobs jobs = place.jobs().start()) {
            assertThat(failure(place, jobs, "COMMIT")).contains("has ended the job's transaction");
            assertThat(failure(place, jobs, "ROLLBACK")).contains("has ended the job's transaction");
        }
    }

    @Test
    void role_notDelegatedOrTakenBack_isToldWhatToSay() {
        try (Place place = new Place(TestServer.NEWEST);
                Jobs jobs = place.jobs().start()) {
            place.database.execute("SELECT howdah.undelegate('default', 'work', '" + place.role + "')");
            assertThat(failure(place, jobs, "SELECT 1"))
                    .contains("role \"" + place.role + "\" may not end jobs of kind \"work\" in queue \"default\"");
            assertThatThrownBy(() -> place.database.execute("SELECT howdah.delegate('q', 'k', 'nobody of that name')"))
                    .hasMessageContaining("there is no role \"nobody of that name\"");
        }
    }
}
