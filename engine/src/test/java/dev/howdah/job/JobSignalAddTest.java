package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobState;
import dev.howdah.job.unique.Unique;
import dev.howdah.job.wait.NewSignal;
import dev.howdah.job.wait.Signal;
import dev.howdah.job.wait.SignalResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Signals for which a job is added, where none has the key or the one that has it ends without having read them. */
@PostgresTest
class JobSignalAddTest {
    private static final Kind<String> CART = Kind.of("cart", String.class);
    private static final Duration HOUR = Duration.ofHours(1);

    private final JobsDatabase database;
    private final ConcurrentLinkedQueue<Integer> read = new ConcurrentLinkedQueue<>();

    JobSignalAddTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private static NewSignal put(int number) {
        return NewSignal.to(CART, "ann", "put", number).orCreate(NewJob.of(CART, "x"));
    }

    /** Reads one signal and ends. */
    private void readOne(String text, Job job) {
        job.await("put", Integer.class, HOUR).map(Signal::payload).ifPresent(read::add);
    }

    private long unread() {
        return database.number("SELECT count(*) FROM howdah_internal.job_signal WHERE read IS NULL");
    }

    private long jobs() {
        return database.number("SELECT count(*) FROM howdah.jobs WHERE kind = 'cart'");
    }

    @Test
    void signal_addsAJobWhereNoneHasTheKey() {
        try (ManualJobs manual = database.jobs().handle(CART, this::readOne).manual()) {
            assertThat(manual.jobs().signal(put(1))).isEqualTo(SignalResult.CREATED);
            assertThat(manual.jobs().signal(put(2))).isEqualTo(SignalResult.KEPT);
            assertThat(jobs()).isEqualTo(1);
            // The job reads the first one and ends: the second one is read by another job.
            manual.runDue();
            assertThat(read).containsExactly(1, 2);
            assertThat(jobs()).isEqualTo(2);
            assertThat(manual.jobs().signal(put(3))).isEqualTo(SignalResult.CREATED);
            manual.runDue();
        }
        assertThat(read).containsExactly(1, 2, 3);
        assertThat(unread()).isZero();
    }

    @Test // a suspended job is cancelled; the window of its key does not keep the other one out
    void signal_thatItsJobDoesNotRead_isReadByANewOne() {
        try (ManualJobs manual = database.jobs()
                .handle(CART, (text, job) -> {
                    if (text.equals("first")) job.sleep("long", HOUR);
                    else readOne(text, job);
                })
                .manual()) {
            long first = manual.jobs()
                    .add(NewJob.of(CART, "first").unique(Unique.byKey("ann").within(Duration.ofDays(1))))
                    .id();
            manual.runDue();
            assertThat(manual.jobs().signal(put(1))).isEqualTo(SignalResult.KEPT);
            assertThat(manual.jobs().signal(first, "put", 2)).isEqualTo(SignalResult.KEPT);
            manual.runDue();
            assertThat(read).isEmpty();
            assertThat(manual.jobs().admin().cancel(first)).isEqualTo(CancelResult.CANCELLED);
            manual.runDue();
            assertThat(read).containsExactly(1);
            // The one that was sent to the job, and to no other, stays its own.
            assertThat(manual.jobs().admin().signals(first, 10)).hasSize(1);
        }
        assertThat(unread()).isEqualTo(1);
    }

    @Test // the end of the job does not wait for the sender
    void signal_whoseTransactionIsOpenWhenTheJobEnds_isReadByANewOne() throws SQLException {
        try (ManualJobs manual = database.jobs().handle(CART, this::readOne).manual();
                Connection sender = database.connect()) {
            long first = manual.jobs().add(NewJob.of(CART, "x").key("ann")).id();
            manual.runDue();
            sender.setAutoCommit(false);
            assertThat(manual.jobs().signal(sender, put(2))).isEqualTo(SignalResult.KEPT);
            manual.jobs().signal(first, "put", 1);
            manual.runDue();
            assertThat(manual.jobs().admin().find(first).orElseThrow().state()).isEqualTo(JobState.DONE);
            sender.commit();
            database.execute("SELECT howdah_internal.keys_late()");
            manual.runDue();
        }
        assertThat(read).containsExactly(1, 2);
        assertThat(unread()).isZero();
    }

    @Test
    void manySenders_areEachReadByOneJob_andNoTwoJobsRunAtATime() throws Exception {
        int senders = 16;
        int each = 25;
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (Jobs jobs = database.jobs()
                .handle(CART, (text, job) -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    try {
                        readOne(text, job);
                    } finally {
                        running.decrementAndGet();
                    }
                })
                .concurrency(4)
                .start()) {
            ExecutorService threads = Executors.newFixedThreadPool(senders);
            try {
                List<Future<?>> sent = new ArrayList<>();
                for (int i = 0; i < senders; i++) {
                    int first = i * each;
                    sent.add(threads.submit(() -> {
                        for (int n = 0; n < each; n++) jobs.signal(put(first + n));
                    }));
                }
                for (Future<?> one : sent) one.get();
            } finally {
                threads.shutdown();
            }
            JobsDatabase.awaiting("all signals are read: " + read.size())
                    .until(() -> read.size() == senders * each && unread() == 0);
        }
        assertThat(read)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, senders * each).boxed().toList());
        assertThat(most).hasValue(1);
    }

    @Test
    void job_thatCannotBeTheOne_isRefused() {
        NewSignal signal = NewSignal.to(CART, "ann", "put", 1);
        assertThatThrownBy(() -> signal.orCreate(NewJob.of(Kind.of("other", String.class), "x")))
                .hasMessageContaining("is of kind other, not cart");
        assertThatThrownBy(() -> signal.orCreate(NewJob.of(CART, "x").key("bob")))
                .hasMessageContaining("has the key \"bob\", not \"ann\"");
        assertThatThrownBy(() -> NewSignal.to(7, "put", 1).orCreate(NewJob.of(CART, "x")))
                .hasMessageContaining("is sent to job 7, not to a key");
    }

    @Test
    void signalInSql_addsAJobToo() {
        try (ManualJobs manual = database.jobs().handle(CART, this::readOne).manual()) {
            assertThat(database.text(
                            "SELECT result FROM howdah.signal_or_add('default', 'cart', 'ann', 'put', '7', '\"x\"')"))
                    .isEqualTo("created");
            manual.runDue();
        }
        assertThat(read).containsExactly(7);
    }
}
