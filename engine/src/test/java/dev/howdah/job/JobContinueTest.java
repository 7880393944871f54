package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.wait.Child;
import dev.howdah.job.wait.NewSignal;
import dev.howdah.job.wait.ParentEnd;
import dev.howdah.job.wait.SignalResult;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Handlers that begin anew, so that their records do not grow. */
@PostgresTest
class JobContinueTest {
    private static final Kind<Integer> LOOP = Kind.of("loop", Integer.class);
    private static final Kind<Integer> PART = Kind.of("part", Integer.class);
    private static final Duration HOUR = Duration.ofHours(1);

    private final JobsDatabase database;
    private final List<String> ran = new CopyOnWriteArrayList<>();

    JobContinueTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private ManualJobs manual(Handler<Integer> handler) {
        return database.jobs()
                .handle(LOOP, handler, options -> options.retries(RetryPolicy.never()))
                .handle(PART, (number, job) -> job.result(number))
                .manual();
    }

    private static JobSummary find(ManualJobs manual, long id) {
        return manual.jobs().admin().find(id).orElseThrow();
    }

    private long records() {
        return database.number("SELECT (SELECT count(*) FROM howdah_internal.job_record)"
                + " + (SELECT count(*) FROM howdah_internal.job_step)");
    }

    @Test
    void job_beginsAnew_withoutRecords_andWithItsSignals() {
        try (ManualJobs manual = manual((number, job) -> {
            int sum = number;
            for (int i = 0; i < 2; i++) {
                sum += Objects.requireNonNull(
                        job.awaitOrFail("add", Integer.class, HOUR).payload());
                int now = sum;
                job.step("add " + i, Void.class, () -> {
                    ran.add("" + now);
                    return null;
                });
            }
            if (sum < 10) {
                try {
                    job.continueAs(sum);
                } catch (Throwable e) {
                    assertThat(job.suspending()).isTrue();
                    job.step("never", Void.class, () -> ran.add("never") ? null : null);
                }
            }
            job.result(sum);
        })) {
            long id = manual.jobs().add(NewJob.of(LOOP, 0).key("k").tags("a")).id();
            manual.jobs().signal(NewSignal.to(id, "add", 1).id("s1"));
            manual.runDue();
            for (int i = 2; i <= 4; i++)
                assertThat(manual.jobs().signal(NewSignal.to(id, "add", i).id("s" + i)))
                        .isEqualTo(SignalResult.KEPT);
            // A newer version runs behind it, and does not end it.
            assertThat(manual.jobs()
                            .add(NewJob.of(LOOP, 10)
                                    .key("k")
                                    .version(Instant.now())
                                    .tags("b"))
                            .added())
                    .isTrue();
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
            assertThat(find(manual, id).result()).isEqualTo("10");
            assertThat(find(manual, id).tags()).containsExactly("a");
            assertThat(database.text("SELECT string_agg(outcome, ' ') FROM howdah.attempts(" + id + ")"))
                    .isEqualTo("suspended next_stage done");
        }
        assertThat(ran).containsExactly("1", "3", "6", "10");
        assertThat(records()).isEqualTo(4 + 1);
    }

    @Test // and a large one
    void payload_isThatOfItsNextBeginning() {
        Kind<String> text = Kind.of("text", String.class);
        String large = "x".repeat(20_000);
        try (ManualJobs manual = database.jobs()
                .handle(text, (payload, job) -> {
                    ran.add("" + payload.length());
                    if (payload.length() == 1) job.continueAs(large);
                    if (payload.length() == large.length()) job.continueAs("");
                })
                .manual()) {
            long id = manual.jobs().add(text, "x");
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("1", "20000", "0");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.body")).isZero();
    }

    @Test
    void childThatHasNotEnded_isRefused_unlessItIsLeft() {
        try (ManualJobs manual = manual((number, job) -> {
            if (number == 2) return;
            Child left = job.child("left", NewJob.of(PART, 1).delay(HOUR), ParentEnd.LEAVE);
            ran.add("" + left.number());
            if (number == 1) job.child("own", NewJob.of(PART, 2).delay(HOUR));
            job.continueAs(2);
        })) {
            long refused = manual.jobs().add(LOOP, 1);
            long fine = manual.jobs().add(LOOP, 0);
            manual.runDue();
            assertThat(find(manual, refused).error()).contains("cannot begin anew while its child \"own\"");
            assertThat(find(manual, fine).state()).isEqualTo(JobState.DONE);
            assertThat(find(manual, fine).attempt()).isEqualTo(1);
        }
    }

    @Test
    void signalsOfManySenders_areReadOnceEach_whileItBeginsAnew() throws InterruptedException {
        int senders = 4;
        int each = 50;
        ConcurrentLinkedQueue<Integer> read = new ConcurrentLinkedQueue<>();
        try (Jobs jobs = database.jobs()
                .handle(LOOP, (number, job) -> {
                    int left = number;
                    for (int i = 0; i < 10 && left > 0; i++) {
                        Integer got = job.awaitOrFail("m", Integer.class, HOUR).payload();
                        job.step("read " + i, Void.class, () -> {
                            read.add(Objects.requireNonNull(got));
                            return null;
                        });
                        left--;
                    }
                    if (left > 0) job.continueAs(left);
                })
                .start()) {
            long id = jobs.add(LOOP, senders * each);
            List<Thread> threads = new ArrayList<>();
            for (int s = 0; s < senders; s++) {
                int first = s * each;
                Thread sender = new Thread(() -> {
                    for (int n = 0; n < each; n++) jobs.signal(id, "m", first + n);
                });
                threads.add(sender);
                sender.start();
            }
            for (Thread thread : threads) thread.join();
            JobsDatabase.awaiting("the job is done, with " + read.size())
                    .until(() -> jobs.admin().find(id).orElseThrow().state() == JobState.DONE);
        }
        assertThat(read)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, senders * each).boxed().toList());
        // Those of each sender in their order.
        for (int s = 0; s < senders; s++) {
            int sender = s;
            assertThat(read.stream().filter(n -> n / each == sender).toList()).isSorted();
        }
        assertThat(records()).isLessThanOrEqualTo(20);
    }
}
