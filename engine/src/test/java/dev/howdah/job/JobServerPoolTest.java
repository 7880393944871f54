package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls in transactions of an application server, whose pool binds connections to the transaction of a thread. */
@PostgresTest
@Timeout(300)
class JobServerPoolTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    private final JobsDatabase database;
    private final SmallPool pool;

    JobServerPoolTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
        this.pool = new SmallPool(this.database.source(), 3);
    }

    private JobsBuilder jobs() {
        return Jobs.on(pool).sessionDataSource(database.source());
    }

    @Test
    void calls_inATransactionOfTheThread_workBesideItAndGiveTheirConnectionsBack() throws Exception {
        try (Jobs jobs = jobs().start()) {
            long id = jobs.add(NewJob.of(WORK, 1).delay(Duration.ofHours(1))).id();
            pool.inTransaction(() -> {
                assertThat(jobs.admin().find(id)).isPresent();
                assertThat(jobs.admin().cancel(id)).isEqualTo(CancelResult.CANCELLED);
                assertThat(jobs.addEach(List.of(NewJob.of(WORK, 2).key("k").delay(Duration.ofHours(1)))))
                        .hasSize(1);
                assertThat(jobs.addAll(List.of(NewJob.of(WORK, 3).delay(Duration.ofHours(1)))))
                        .hasSize(1);
                jobs.schedule(Schedule.every("often", Duration.ofHours(1)), NewJob.of(WORK, 1));
                assertThat(jobs.schedules().pause("often")).isTrue();
                assertThat(jobs.workflows().list(false, Long.MAX_VALUE, 10)).isEmpty();
            });
            assertThat(pool.isWhole()).isTrue();
        }
    }

    @Test
    void steps_inATransactionOfTheThread_areRecorded() {
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        try (Jobs jobs = jobs().handle(
                        WORK,
                        (payload, job) -> pool.inTransaction(() -> {
                            seen.add(String.valueOf(job.step("one", String.class, () -> "a")));
                            seen.add(String.valueOf(job.stepInTransaction("two", String.class, connection -> "b")));
                        }))
                .start()) {
            database.awaitLetters(jobs.add(WORK, 1), "d");
            assertThat(seen.poll()).isEqualTo("a");
            assertThat(seen.poll()).isEqualTo("b");
            assertThat(pool.isWhole()).isTrue();
        }
    }
}
