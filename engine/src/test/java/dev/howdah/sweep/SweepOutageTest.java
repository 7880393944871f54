package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a receiver that is unavailable costs rows, and what many failures in a row mean. */
@PostgresTest
@Tag("long")
class SweepOutageTest {
    private static final int ROWS = 200;

    private final SweepDatabase database;

    SweepOutageTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, ROWS);
    }

    private String held() {
        return Sweeps.on(database.dataSource()).find("mailing").orElseThrow().workers().stream()
                .map(each -> String.valueOf(each.held()))
                .findFirst()
                .orElse("");
    }

    private long errors() {
        return database.number("SELECT count(*) FROM howdah.sweep_error");
    }

    /** Ways to work on rows, each of which asks a receiver first. */
    static Stream<BiFunction<SweepBuilder, Runnable, SweepBuilder>> works() {
        return Stream.of(
                (builder, receiver) -> builder.forEachRow(row -> receiver.run()),
                (builder, receiver) -> builder.forEachBatch(rows -> receiver.run()),
                (builder, receiver) -> builder.forEachRowInTransaction((row, connection) -> receiver.run()));
    }

    @ParameterizedTest
    @MethodSource("works")
    void receiver_unavailable_isWaitedFor_andCostsNoRowAnAttempt(BiFunction<SweepBuilder, Runnable, SweepBuilder> work)
            throws InterruptedException {
        AtomicBoolean isAway = new AtomicBoolean(true);
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger mostAtOnce = new AtomicInteger();
        Runnable receiver = () -> {
            mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            try {
                calls.incrementAndGet();
                if (isAway.get())
                    throw new CompletionException(new ReceiverUnavailableException("the mail server is down"));
            } finally {
                atOnce.decrementAndGet();
            }
        };
        try (Sweep sweep = work.apply(database.mailing().retries(RetryPolicy.never()), receiver)
                .start()) {
            SweepDatabase.awaiting("it says why")
                    .until(() -> held().equals("the receiver is unavailable: the mail server is down"));
            SweepDatabase.awaiting("it is tried again").until(() -> calls.get() >= 2);
            assertThat(mostAtOnce).as("a single row tries").hasValue(1);
            assertThat(errors()).isZero();
            assertThat(database.mails()).isEqualTo("0:" + ROWS);
            isAway.set(false);
            SweepProgress end = sweep.join();
            assertThat(end.done()).isEqualTo(ROWS);
            assertThat(end.failed()).isZero();
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
        assertThat(calls.get()).as("few rows have tried").isLessThan(ROWS + 20);
    }

    @Test // in the middle, with all workers
    void receiver_goingAwayInTheMiddle_isTriedByOneRowAtATime() throws InterruptedException {
        AtomicInteger calls = new AtomicInteger();
        AtomicBoolean isAway = new AtomicBoolean();
        AtomicInteger unavailable = new AtomicInteger();
        try (Sweep sweep = database.mailing()
                .workers(8)
                .retries(RetryPolicy.never())
                .forEachRow(row -> {
                    if (calls.incrementAndGet() == 50) isAway.set(true);
                    if (!isAway.get()) return;
                    unavailable.incrementAndGet();
                    throw new ReceiverUnavailableException("gone");
                })
                .start()) {
            SweepDatabase.awaiting("it is tried again twice")
                    .until(() -> unavailable.get() >= 10 || pauses(unavailable));
            assertThat(unavailable.get()).isLessThan(20);
            isAway.set(false);
            assertThat(sweep.join().failed()).isZero();
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }

    private boolean pauses(AtomicInteger unavailable) {
        return unavailable.get() >= 3 && held().startsWith("the receiver is unavailable");
    }

    @Test
    void receiver_thatSaysWhen_isNotAskedBefore() throws InterruptedException {
        AtomicLong asked = new AtomicLong();
        AtomicLong pause = new AtomicLong();
        try (Sweep sweep = database.mailing()
                .forEachRow(row -> {
                    long now = System.nanoTime();
                    if (asked.compareAndSet(0, now))
                        throw new ReceiverUnavailableException("too many requests", Duration.ofSeconds(2));
                    pause.compareAndSet(0, now - asked.get());
                })
                .start()) {
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
        assertThat(pause.get()).isGreaterThanOrEqualTo(Duration.ofSeconds(2).toNanos());
        assertThat(errors()).isZero();
    }

    @Test
    void receiver_thatSaysWhen_isNotAskedByAnotherProcess_untilTheSweepIsStoppedAndStarted()
            throws InterruptedException {
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger calls = new AtomicInteger();
        SweepBuilder busy = database.mailing().workers(1).forEachRow(row -> {
            if (asked.incrementAndGet() == 3)
                throw new ReceiverUnavailableException("too many requests", Duration.ofHours(1));
        });
        SweepBuilder other = database.mailing().workers(2).forEachRow(row -> calls.incrementAndGet());
        Sweeps sweeps = Sweeps.on(database.dataSource());
        try (Sweep first = busy.start()) {
            SweepDatabase.awaiting("others can see it")
                    .until(() ->
                            database.number("SELECT count(*) FROM howdah.sweep WHERE resting_why IS NOT NULL") == 1);
            try (Sweep second = other.start()) {
                SweepDatabase.awaiting("both wait").until(() -> {
                    SweepProgress progress = sweeps.find("mailing").orElseThrow();
                    return progress.workers().size() == 3
                            && "the receiver is unavailable: too many requests".equals(progress.held());
                });
                assertThat(calls).hasValue(0);
                assertThat(first.stop()).isTrue();
                second.join();
            }
        }
        assertThat(asked).hasValue(3);
        try (Sweep third = other.start()) {
            assertThat(third.join().done()).isEqualTo(ROWS);
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }

    @Test
    void receiver_unavailableForTooLong_isLeft_byThisProcessAlone() throws InterruptedException {
        AtomicBoolean isAway = new AtomicBoolean(true);
        CountDownLatch mayEnd = new CountDownLatch(1);
        SweepBuilder away = database.mailing().workers(2).maxOutage(Duration.ofMillis(1_500));
        away.forEachRow(row -> {
            if (isAway.get()) throw new ReceiverUnavailableException("the mail server is down");
        });
        try (Sweep first = away.start();
                Sweep other = database.mailing()
                        .workers(1)
                        .forEachRow(row -> mayEnd.await())
                        .start()) {
            assertThatThrownBy(first::join)
                    .isInstanceOf(SweepOutageException.class)
                    .hasMessageMatching(
                            "the receiver is unavailable: the mail server is down\\. That has lasted for \\d+ s,"
                                    + " so this process has left the sweep\\. Started again, it goes on");
            SweepProgress progress = other.progress();
            assertThat(progress.state()).isEqualTo(SweepState.RUNNING);
            assertThat(progress.workers()).hasSize(1);
            assertThat(errors()).isZero();
            isAway.set(false);
            try (Sweep again = away.start()) {
                SweepDatabase.awaiting("all but one row are done")
                        .until(() -> database.mails().equals("0:1 1:" + (ROWS - 1)));
                mayEnd.countDown();
                assertThat(again.join().state()).isEqualTo(SweepState.DONE);
            }
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
        assertThatThrownBy(() -> database.mailing().maxOutage(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("an outage of at most PT0S: it has to be more than 0");
    }

    @Test // in all processes, between others that are done
    void rows_failedForGood_stopTheSweepAtTheirNumber() throws InterruptedException {
        SweepBuilder failing = database.mailing()
                .maxFailedRows(20)
                .maxRowsPerSecond(200)
                .retries(RetryPolicy.never())
                .forEachRow(row -> {
                    if (row.getLong("id") % 2 == 0) throw new IllegalStateException("even");
                });
        try (Sweep joined = database.mailing()
                        .maxRowsPerSecond(200)
                        .retries(RetryPolicy.never())
                        .forEachRow(row -> {
                            throw new IllegalStateException("no");
                        })
                        .start();
                Sweep sweep = failing.start()) {
            assertThatThrownBy(sweep::join)
                    .isInstanceOf(SweepException.class)
                    .hasMessageMatching("(?:[2-9]\\d|1\\d\\d) rows have failed for good, so the sweep was stopped\\."
                            + " Started again with those retried, or with a higher limit, it goes on");
            assertThat(joined.join().state()).isEqualTo(SweepState.FAILED);
        }
        assertThat(errors()).as("at once here, within a moment there").isBetween(20L, ROWS - 1L);
        long known = errors();
        try (Sweep again = failing.start()) {
            assertThatThrownBy(again::join).hasMessageContaining("rows have failed for good");
        }
        assertThat(errors()).isEqualTo(known);
        database.execute("DELETE FROM howdah.sweep_error");
        try (Sweep alone = failing.workers(1).start()) {
            assertThatThrownBy(alone::join).hasMessageStartingWith("20 rows have failed for good");
        }
        assertThat(errors()).isEqualTo(20);
        try (Sweep sweep = database.mailing()
                .retryFailed()
                .maxFailedRows(1)
                .forEachRow(row -> {})
                .start()) {
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
        assertThatThrownBy(() -> database.mailing().maxFailedRows(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("at most -1 failed rows: it has to be 0 or more");
    }

    @Test
    void rows_failingInARow_stopTheSweep_andItGoesOnWhenStartedAgain() throws InterruptedException {
        SweepBuilder failing = database.mailing()
                .workers(1)
                .maxFailures(20)
                .retries(RetryPolicy.linear(Duration.ofHours(1), 3))
                .forEachRow(row -> {
                    throw new IllegalStateException("no");
                });
        try (Sweep sweep = failing.start()) {
            assertThatThrownBy(sweep::join)
                    .isInstanceOf(SweepException.class)
                    .hasMessage("20 rows in a row have failed, so the sweep was stopped. The last one was 20:"
                            + " java.lang.IllegalStateException: no. Started again, it goes on");
        }
        assertThat(errors()).isEqualTo(20);
        assertThat(Sweeps.on(database.dataSource())
                        .find("mailing")
                        .orElseThrow()
                        .state())
                .isEqualTo(SweepState.FAILED);
        try (Sweep sweep =
                database.mailing().retryFailed().forEachRow(row -> {}).start()) {
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }

    @Test // further attempts come together at the end, when all others are done: they say nothing new
    void rows_failingBetweenOthers_stopNothing() throws InterruptedException {
        try (Sweep sweep = database.mailing()
                .workers(1)
                .maxFailures(2)
                .retries(RetryPolicy.linear(Duration.ofMillis(10), 3))
                .forEachRow(row -> {
                    if (row.getLong("id") % 2 == 0) throw new IllegalStateException("even");
                })
                .start()) {
            SweepProgress end = sweep.join();
            assertThat(end.state()).isEqualTo(SweepState.DONE);
            assertThat(end.failed()).isEqualTo(ROWS / 2);
        }
        assertThat(database.number("SELECT sum(attempts) FROM howdah.sweep_error"))
                .isEqualTo(ROWS / 2 * 3);
    }

    static Stream<Throwable> throwables() {
        return Stream.of(
                new Error("err"),
                new OutOfMemoryError("Java heap space"),
                new StackOverflowError(),
                new RuntimeException() {
                    private static final long serialVersionUID = 1;

                    @Override
                    public String getMessage() {
                        throw new IllegalStateException("no message");
                    }

                    @Override
                    public synchronized Throwable getCause() {
                        throw new IllegalStateException("no cause");
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void throwable_ofOneRow_isThatRowsFailure(Throwable throwable) throws InterruptedException {
        for (BiFunction<SweepBuilder, Runnable, SweepBuilder> work : works().toList()) {
            AtomicInteger calls = new AtomicInteger();
            SweepBuilder builder = work.apply(
                    database.mailing().batch(10).retries(RetryPolicy.never()).again(), () -> {
                        if (calls.incrementAndGet() == 7) throw SweepOutageTest.<RuntimeException>sneaky(throwable);
                    });
            database.execute("UPDATE subscription SET last_mail_at = NULL, mails = 0");
            try (Sweep sweep = builder.start()) {
                SweepProgress end = sweep.join();
                assertThat(end.state()).isEqualTo(SweepState.DONE);
                assertThat(end.failed()).isPositive();
                assertThat(end.done() + end.failed()).isEqualTo(ROWS);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E sneaky(Throwable throwable) throws E {
        throw (E) throwable;
    }

    @Test // a migration holds the table: that is no reason to give up
    void table_lockedForAWhile_isWaitedFor() throws Exception {
        try (Sweep sweep = database.mailing()
                        .maxRowsPerSecond(100)
                        .forEachRow(row -> {})
                        .start();
                java.sql.Connection other = database.source().getConnection();
                java.sql.Statement statement = other.createStatement()) {
            SweepDatabase.awaiting("it works")
                    .until(() -> database.number("SELECT count(*) FROM subscription WHERE mails = 1") > 10);
            other.setAutoCommit(false);
            statement.execute("LOCK TABLE subscription IN ACCESS EXCLUSIVE MODE");
            long begun = System.nanoTime();
            SweepDatabase.awaiting("statements of it have run into their timeouts")
                    .until(() ->
                            System.nanoTime() - begun > Duration.ofSeconds(4).toNanos());
            other.rollback();
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }
}
