package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** J23: so many jobs of a queue at a time, on all nodes together. */
@PostgresTest
class JobLimitTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    @Test
    void limitOfAQueue_holdsOverAllNodes_andIsUsed(TestDatabase database) {
        JobsDatabase jobs = JobsDatabase.in(database);
        jobs.execute("SELECT howdah.limit('default', 3)");
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Semaphore go = new Semaphore(0);
        List<Jobs> nodes = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++)
                nodes.add(jobs.jobs()
                        .handle(WORK, (number, job) -> {
                            most.accumulateAndGet(running.incrementAndGet(), Math::max);
                            go.acquire();
                            running.decrementAndGet();
                        })
                        .start());
            nodes.get(0)
                    .addAll(IntStream.range(0, 60)
                            .mapToObj(i -> NewJob.of(WORK, i))
                            .toList());
            JobsDatabase.awaiting("as many as may").until(() -> running.get() == 3);
            go.release(10);
            JobsDatabase.awaiting("others follow").until(() -> jobs.ended("d") == 10 && running.get() == 3);
            jobs.execute("SELECT howdah.limit('default', 5)");
            JobsDatabase.awaiting("more may").until(() -> running.get() == 5);
            assertThat(most).hasValue(5);
            go.release(100);
            JobsDatabase.awaiting("all").until(() -> jobs.ended("d") == 60);
            assertThat(most).hasValue(5);
            assertThat(jobs.timesDone()).containsExactly("1");
        } finally {
            go.release(100);
            nodes.forEach(Jobs::close);
        }
    }

    @Test
    void limit_thatIsNone_isRefused(TestDatabase database) {
        JobsDatabase jobs = JobsDatabase.in(database);
        assertThatThrownBy(() -> jobs.execute("SELECT howdah.limit('default', 0)"))
                .hasMessageContaining("a limit of 0 for queue default");
        jobs.execute("SELECT howdah.limit('default', 1); SELECT howdah.limit('default', NULL)");
        assertThat(jobs.number("SELECT count(*) FROM howdah.queue_limit")).isZero();
    }
}
