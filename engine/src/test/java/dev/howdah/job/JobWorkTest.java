package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Jobs are added, taken once, in order, and leave a history. */
@PostgresTest
class JobWorkTest {
    record Mail(String to, int copies) {}

    private static final Kind<Mail> MAIL = Kind.of("mail", Mail.class);
    private static final Kind<Long> COUNT = Kind.of("count", Long.class);

    private final JobsDatabase database;

    JobWorkTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @Test
    void job_added_runsAndLeavesBeginEndAndNode() {
        Queue<Mail> sent = new ConcurrentLinkedQueue<>();
        try (Jobs jobs =
                database.jobs().handle(MAIL, (mail, job) -> sent.add(mail)).start()) {
            long id = jobs.add(MAIL, new Mail("ann@example.com", 2));
            database.awaitLetters(id, "d");
            assertThat(sent).containsExactly(new Mail("ann@example.com", 2));
            assertThat(database.attempt(id, "a.node::text")).isEqualTo(Integer.toString(jobs.node()));
            assertThat(database.attempt(
                            id,
                            "a.begun >= a.taken AND a.ran >= 0 AND"
                                    + " a.begun + a.ran * interval '1 microsecond' <= a.ended"))
                    .isEqualTo("t");
        }
        assertThat(database.waiting()).isZero();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.node")).isZero();
    }

    @Test // none is taken twice; nodes that begin at the same time are not taken for dead
    void jobs_workedByManyNodesAtOnce_eachRunsOnce() {
        Queue<Long> ran = new ConcurrentLinkedQueue<>();
        List<Jobs> nodes = new ArrayList<>();
        try (Jobs producer = database.jobs().start()) {
            IntStream.range(0, 8).parallel().forEach(n -> {
                Jobs node = database.jobs()
                        .handle(COUNT, (payload, job) -> ran.add(payload))
                        .concurrency(4)
                        .start();
                synchronized (nodes) {
                    nodes.add(node);
                }
            });
            for (int i = 0; i < 40; i++)
                producer.addAll(LongStream.range(i * 250L, i * 250L + 250)
                        .mapToObj(n -> NewJob.of(COUNT, n))
                        .toList());
            JobsDatabase.awaiting("all have run").until(() -> ran.size() >= 10_000);
        } finally {
            nodes.forEach(Jobs::close);
        }
        assertThat(ran).hasSize(10_000).doesNotHaveDuplicates();
        assertThat(database.ended("d")).isEqualTo(10_000);
        assertThat(database.timesDone()).containsExactly("1");
        assertThat(database.waiting()).isZero();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.batch WHERE ended IS NULL"))
                .isZero();
    }

    @Test
    void jobs_ofSeveralPriorities_runByPriorityThenTime() {
        List<Long> order = new ArrayList<>();
        try (Jobs producer = database.jobs().start()) {
            List<NewJob<Long>> jobs = new ArrayList<>();
            for (long n = 0; n < 20; n++)
                jobs.add(NewJob.of(COUNT, n).priority((int) (n * 7 % 5) - 2).queue("q"));
            producer.addAll(jobs);
        }
        try (Jobs jobs = database.jobs()
                .handle(COUNT, (payload, job) -> order.add(payload))
                .queues("q")
                .concurrency(1)
                .start()) {
            database.awaitEmpty();
        }
        List<Long> right = LongStream.range(0, 20)
                .boxed()
                .sorted((a, b) -> {
                    int byPriority = Long.compare(a * 7 % 5, b * 7 % 5);
                    return byPriority != 0 ? byPriority : Long.compare(a, b);
                })
                .toList();
        assertThat(order).isEqualTo(right);
    }

    @Test
    void jobs_tenThousandInOneCall_areThereInTheirOrder() {
        try (Jobs jobs = database.jobs().start()) {
            List<Long> ids = jobs.addAll(LongStream.range(0, 10_000)
                    .mapToObj(n -> NewJob.of(COUNT, n).delay(Duration.ofHours(1)))
                    .toList());
            assertThat(ids).hasSize(10_000).isSorted().doesNotHaveDuplicates();
            assertThat(database.number(
                            "SELECT count(*) FROM (SELECT payload::text::bigint AS said, row_number() OVER (ORDER BY id) - 1 AS place"
                                    + " FROM howdah_internal.job) j WHERE said = place"))
                    .isEqualTo(10_000);
        }
    }
}
