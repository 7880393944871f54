package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.error.RecordedLog;
import dev.howdah.spi.RetryPolicy;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many jobs fail at once, with deep stacks and long messages: rows, log and memory stay small, and nothing is left out of the books. */
@PostgresTest
@Tag("long")
class JobManyFailuresTest {
    private static final Kind<Long> WORK = Kind.of("work", Long.class);
    private static final int JOBS = 10_000;
    private static final int FRAMES = 800;
    private static final int DEEP_EVERY = 10;
    private static final Pattern LEFT_OUT = Pattern.compile("\\((\\d+) more failed attempts were not logged\\)");

    private final JobsDatabase database;
    private final Queue<WeakReference<Throwable>> thrown = new ConcurrentLinkedQueue<>();

    JobManyFailuresTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private void fail(int frames) {
        if (frames > 0) {
            fail(frames - 1);
            return;
        }
        IllegalStateException failure = new IllegalStateException("no luck ".repeat(100));
        thrown.add(new WeakReference<>(failure));
        throw failure;
    }

    @Test
    void tenThousandJobs_failTwiceWithDeepStacks_rowsLogAndMemoryStaySmall() {
        RecordedLog log = new RecordedLog();
        long began = System.nanoTime();
        try (Jobs jobs = database.jobs()
                .log(log.logger())
                .defaultRetries(RetryPolicy.after(Duration.ofMillis(5)))
                .handle(WORK, (payload, job) -> fail(payload % DEEP_EVERY == 0 ? FRAMES : 0))
                .start()) {
            jobs.addAll(LongStream.range(0, JOBS)
                    .mapToObj(each -> NewJob.of(WORK, each))
                    .toList());
            JobsDatabase.awaiting("all have failed")
                    .atMost(Patience.LIMIT)
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> database.number("SELECT count(*) FROM howdah_internal.failed") == JOBS);
            database.awaitEmpty();
            long seconds = Duration.ofNanos(System.nanoTime() - began).toSeconds() + 1;

            assertThat(thrown).hasSize(2 * JOBS);
            assertThat(database.ended("r")).isEqualTo(JOBS);
            assertThat(database.ended("f")).isEqualTo(JOBS);
            assertThat(database.number("SELECT max(length(error)) FROM howdah_internal.failed"))
                    .isBetween(1_600L, 8_100L);
            assertThat(
                            database.number(
                                    "SELECT pg_total_relation_size('howdah_internal.failed')"
                                            + " + (SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('howdah_internal.batch'))"))
                    .as("bytes of all rows")
                    .isLessThan(64L << 20);

            // At most 100 lines at once and 10 a second of each level; each says how many it stands for.
            assertThat(log.lines()).hasSizeLessThan((int) (2 * (100 + 10 * seconds)));
            assertThat(log.lines()).allSatisfy(each -> assertThat(each).hasSizeLessThan(1_500));
            long leftOut = 0;
            for (String each : log.lines()) {
                Matcher matcher = LEFT_OUT.matcher(each);
                if (matcher.find()) leftOut += Long.parseLong(matcher.group(1));
            }
            assertThat(leftOut)
                    .isPositive()
                    .isLessThanOrEqualTo(2L * JOBS - log.lines().size());

            JobsDatabase.awaiting("what was thrown is let go").until(() -> {
                System.gc();
                return thrown.stream().filter(each -> each.get() != null).count() < JOBS / 10;
            });
        }
    }
}
