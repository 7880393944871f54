package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** A result that the database does not take is not lost in silence. */
@PostgresTest
class JobRefusedResultTest {
    private static final Kind<Object> WORK = Kind.of("work", Object.class);

    private final JobsDatabase database;

    JobRefusedResultTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private void refused(Object result, boolean keyed) {
        try (Jobs jobs = database.jobs()
                .handle(WORK, (payload, job) -> job.result(payload.equals("bad") ? result : payload))
                .start()) {
            NewJob<Object> bad = NewJob.of(WORK, "bad");
            List<Long> ids =
                    jobs.addAll(List.of(NewJob.of(WORK, "a"), keyed ? bad.key("k") : bad, NewJob.of(WORK, "b")));
            Assertions.assertThatThrownBy(() -> jobs.result(ids.get(1), Object.class)
                            .get(JobsDatabase.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class);
            JobSummary failed = jobs.admin().find(ids.get(1)).orElseThrow();
            assertThat(failed.state()).isEqualTo(JobState.FAILED);
            assertThat(failed.error()).startsWith("its result is refused: ");
            for (long each : List.of(ids.get(0), ids.get(2))) {
                database.awaitLetters(each, "d");
                assertThat(jobs.admin().find(each).orElseThrow().result()).isIn("\"a\"", "\"b\"");
            }
            assertThat(database.number("SELECT count(*) FROM howdah_internal.key WHERE ended IS NULL"))
                    .isZero();
        }
    }

    @Test
    void result_withTheCharacterZero_failsItsJobAndNoOther() {
        refused("a\u0000b", false);
    }

    @Test
    void result_withANumberThatIsTooLarge_failsItsJobAndFreesItsKey() {
        refused(new BigDecimal("1e200000"), true);
    }
}
