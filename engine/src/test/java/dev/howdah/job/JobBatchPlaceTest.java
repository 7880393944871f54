package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The outcome of a job is written at its place in its batch, in whatever order a claim answers. A sort, for example, may
 * change the order of rows that are equal to it.
 */
@PostgresTest
class JobBatchPlaceTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);
    private static final Kind<Integer> ALONE = Kind.of("alone", Integer.class);
    private static final int JOBS = 400;

    private final JobsDatabase database;

    JobBatchPlaceTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private static void work(int n, Job job) {
        if (n % 3 == 0) throw new FatalException("n " + n);
        job.result(n);
    }

    private void add(List<NewJob<Integer>> jobs) {
        try (Jobs client = database.jobs().start()) {
            client.addAll(jobs);
        }
    }

    /** Every third job fails; the others are done, with their payload as the result. */
    private void run() {
        try (Jobs node = database.jobs()
                .concurrency(8)
                .handle(WORK, JobBatchPlaceTest::work)
                .handleInTransaction(ALONE, (n, job, connection) -> work(n, job))
                .start()) {
            JobsDatabase.awaiting("all have ended").until(() -> database.ended("df") == JOBS);
        }
        assertThat(database.number("SELECT count(*) FROM howdah.jobs WHERE state = 'failed'"
                        + " AND (payload::text)::integer % 3 = 0 AND error LIKE '%n ' || payload::text || '%'"))
                .isEqualTo(IntStream.range(0, JOBS).filter(n -> n % 3 == 0).count());
        assertThat(database.number("SELECT count(*) FROM howdah.jobs WHERE state = 'done'"
                        + " AND (payload::text)::integer % 3 <> 0 AND result::text = payload::text"))
                .isEqualTo(IntStream.range(0, JOBS).filter(n -> n % 3 != 0).count());
    }

    @Test
    void jobs_ofSeveralGroups_endAtTheirPlaces() {
        List<NewJob<Integer>> jobs = new ArrayList<>();
        for (int n = 0; n < JOBS; n++) jobs.add(NewJob.of(WORK, n).group("group " + n % 7));
        add(jobs);
        run();
    }

    @ParameterizedTest
    @ValueSource(strings = {"enable_hashagg enable_hashjoin", "enable_nestloop enable_mergejoin enable_sort"})
    void jobs_whateverThePlanOfTheClaim_endAtTheirPlaces(String settings) {
        String name = database.text("SELECT quote_ident(current_database())");
        for (String setting : settings.split(" "))
            database.execute("ALTER DATABASE " + name + " SET " + setting + " = off");
        List<NewJob<Integer>> jobs = new ArrayList<>();
        for (int n = 0; n < JOBS; n++) {
            NewJob<Integer> job = NewJob.of(n % 5 == 1 ? ALONE : WORK, n);
            jobs.add(n % 5 == 0 ? job.orderKey("key " + n) : job);
        }
        add(jobs);
        run();
    }
}
