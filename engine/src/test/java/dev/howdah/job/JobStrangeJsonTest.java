package dev.howdah.job;

import static dev.howdah.job.JobsDatabase.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** JSON that {@code jsonb} cannot hold is a payload like others: it is unique, and it holds up no archive. */
@PostgresTest
class JobStrangeJsonTest {
    private static final String PAYLOADS =
            "ARRAY['{\"a\": 1}', '{\"a\": 1e999999}', '{\"a\": \"\\u0000\"}', '\"\\ud800\"']";

    private final JobsDatabase database;

    JobStrangeJsonTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @BeforeEach
    void make() {
        database.execute("CREATE TABLE kept (LIKE howdah.jobs); CREATE TABLE told (job jsonb);"
                + " CREATE FUNCTION keep(jobs jsonb) RETURNS void LANGUAGE sql AS"
                + " 'INSERT INTO public.told SELECT jsonb_array_elements(jobs)'");
    }

    private void add(String queue) {
        database.execute("SELECT howdah.add('" + queue + "', 'work', p::json) FROM unnest(" + PAYLOADS + ") p");
    }

    private void archive(String outcome) {
        database.execute("SELECT howdah.retain('a', '" + outcome + "', '0', 'kept'), howdah.retain('b', '" + outcome
                + "', '0', 'keep'); UPDATE howdah.retention SET next_at = now()");
        for (int i = 0; i < 2; i++) database.text("SELECT concat(problem) FROM howdah_internal.retention_step(100)");
        assertThat(database.text("SELECT concat(string_agg(error, ' ')) FROM howdah.retention"))
                .isEmpty();
        assertThat(database.text("SELECT string_agg(json_typeof(payload), ' ' ORDER BY id) FROM kept"))
                .isEqualTo("object string string string");
        assertThat(database.text(
                        "SELECT string_agg(job ->> 'payload', ', ' ORDER BY (job ->> 'id')::bigint) FROM told"))
                .isEqualTo("{\"a\": 1}, {\"a\": 1e999999}, {\"a\": \"\\u0000\"}, \"\\ud800\"");
        assertThat(database.text("SELECT count(*) FROM howdah.jobs")).isEqualTo("0");
    }

    @Test
    void cancelledJobs_goToTheirArchives() {
        add("a");
        add("b");
        database.execute("SELECT howdah.cancel(id) FROM howdah.jobs");
        archive("cancelled");
    }

    @Test
    void doneJobs_goToTheirArchives() {
        add("a");
        add("b");
        try (Jobs jobs = database.jobs()
                .queues("a", "b")
                .handle(Kind.of("work", Object.class), (payload, job) -> {})
                .start()) {
            assertThat(jobs).isNotNull();
            awaiting("all are done")
                    .until(() -> database.number("SELECT count(*) FROM howdah.jobs WHERE state = 'done'") == 8);
        }
        database.execute("UPDATE howdah_internal.stat_mark SET upto = (SELECT max(id) FROM howdah_internal.batch);"
                + " DELETE FROM howdah_internal.stat_open");
        archive("done");
    }

    @Test
    void jobs_areUniqueByIt() {
        String add = "SELECT count(*) FILTER (WHERE a.added) FROM unnest(" + PAYLOADS
                + ") p, howdah.add('a', 'work', p::json, options => '{\"unique\": {\"by\": \"payload\"}}') a";
        assertThat(database.text(add)).isEqualTo("4");
        assertThat(database.text(add)).isEqualTo("0");
    }
}
