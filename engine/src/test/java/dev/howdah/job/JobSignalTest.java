package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.wait.NewSignal;
import dev.howdah.job.wait.SentSignal;
import dev.howdah.job.wait.Signal;
import dev.howdah.job.wait.SignalResult;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Handlers that wait for signals without a thread. */
@PostgresTest
class JobSignalTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final RetryPolicy AT_ONCE = RetryPolicy.after(Duration.ZERO, Duration.ZERO);
    private static final Duration HOUR = Duration.ofHours(1);

    private final TestDatabase bare;
    private final JobsDatabase database;
    private final List<String> read = new CopyOnWriteArrayList<>();

    JobSignalTest(TestDatabase database) {
        this.bare = database;
        this.database = JobsDatabase.in(database);
    }

    record Approval(boolean ok) {}

    private ManualJobs manual(Handler<String> handler) {
        return database.jobs()
                .handle(WORK, handler, options -> options.retries(AT_ONCE))
                .manual();
    }

    private void pass(Duration time) {
        JobWaitClock.pass(database, time);
    }

    private static JobSummary find(ManualJobs manual, long id) {
        return manual.jobs().admin().find(id).orElseThrow();
    }

    private static List<SentSignal> unread(ManualJobs manual, long id) {
        return manual.jobs().admin().signals(id, 10_000).stream()
                .filter(each -> each.read() == null)
                .toList();
    }

    @Test
    void signal_sentBeforeTheWait_meetsIt() {
        AtomicInteger runs = new AtomicInteger();
        List<Instant> sent = new ArrayList<>();
        try (ManualJobs manual = manual((text, job) -> {
            runs.incrementAndGet();
            job.sleep("first", HOUR);
            Signal<Integer> signal =
                    job.await("ok", Integer.class, Duration.ofDays(1)).orElseThrow();
            read.add(signal.payload() + " from " + signal.sender() + " " + signal.id());
            sent.add(signal.sent());
        })) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            assertThat(manual.jobs().signal(id, "ok", 7)).isEqualTo(SignalResult.KEPT);
            Instant kept = Instant.parse(
                    database.text("SELECT to_json(clock_timestamp()) #>> '{}'").replaceAll("\\+00:00$", "Z"));
            manual.runDue();
            assertThat(runs).hasValue(1);
            pass(HOUR);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
            // The run behind the sleep takes it: the job was never suspended for it.
            assertThat(database.text("SELECT string_agg(outcome, ' ') FROM howdah.attempts(" + id + ")"))
                    .isEqualTo("suspended done");
            assertThat(sent)
                    .singleElement()
                    .satisfies(each -> assertThat(each).isCloseTo(kept, within(10, ChronoUnit.SECONDS)));
            assertThat(read).containsExactly("7 from " + database.text("SELECT session_user") + " null");
            assertThat(unread(manual, id)).isEmpty();
        }
        assertThat(runs).hasValue(2);
    }

    @Test
    void signal_toASuspendedJob_resumesIt_alsoByKeyAndInSql() {
        try (ManualJobs manual = manual((text, job) -> {
            Optional<Signal<Map>> signal = job.await("ok", Map.class, HOUR);
            read.add(text + " " + signal.orElseThrow().payload());
        })) {
            long byId = manual.jobs().add(WORK, "id");
            long byKey = manual.jobs().add(NewJob.of(WORK, "key").key("k")).id();
            long inSql = manual.jobs().add(WORK, "sql");
            manual.runDue();
            assertThat(manual.jobs()
                            .admin()
                            .list(JobQuery.in(JobState.SUSPENDED))
                            .jobs())
                    .hasSize(3);
            assertThat(manual.jobs().admin().why(byId).get(0).code()).isEqualTo("awaits-signal");
            assertThat(database.text("SELECT howdah.hurry(" + byId + ")")).isEqualTo("f");
            manual.jobs().signal(byId, "another", Map.of("a", 1));
            manual.runDue();
            assertThat(read).isEmpty();
            manual.jobs().signal(byId, "ok", Map.of("a", 1));
            manual.jobs().signal(NewSignal.to(WORK, "k", "ok", Map.of("b", 2)));
            database.text("SELECT howdah.signal(" + inSql + ", 'ok', '{\"c\": 3}')");
            manual.runDue();
            assertThat(read).containsExactlyInAnyOrder("id {a=1}", "key {b=2}", "sql {c=3}");
            assertThat(find(manual, byKey).state()).isEqualTo(JobState.DONE);
        }
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job_signal WHERE fresh")
                        + database.number("SELECT count(*) FROM howdah_internal.job_record WHERE fresh"))
                .isZero();
    }

    /** A signal that commits late is read later, and not lost. */
    @Test
    void signals_areReadInTheOrderInWhichTheyAreSeen() throws SQLException {
        try (ManualJobs manual = manual((text, job) -> {
                    for (int i = 0; i < 5; i++) {
                        Integer value = job.await("m", Integer.class, HOUR)
                                .orElseThrow()
                                .payload();
                        job.step("read " + i, Void.class, () -> {
                            read.add("" + value);
                            return null;
                        });
                    }
                });
                Connection late = database.source().getConnection();
                Connection three = database.source().getConnection()) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            late.setAutoCommit(false);
            manual.jobs().signal(late, NewSignal.to(id, "m", 1));
            manual.jobs().signal(id, "m", 2);
            manual.runDue();
            late.commit();
            manual.runDue();
            three.setAutoCommit(false);
            for (int i = 3; i <= 5; i++) manual.jobs().signal(three, NewSignal.to(id, "m", i));
            three.commit();
            manual.runDue();
            assertThat(read).containsExactly("2", "1", "3", "4", "5");
            assertThat(
                            database.text(
                                    "SELECT string_agg(s.payload::text, ' ' ORDER BY r.number)"
                                            + " FROM howdah_internal.job_record r JOIN howdah_internal.job_signal s ON s.id = r.signal"))
                    .isEqualTo("2 1 3 4 5");
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
    }

    @Test
    void wait_endedByItsTime_staysSo_andReadsNoLaterSignal() {
        List<String> answers = new ArrayList<>();
        AtomicInteger runs = new AtomicInteger();
        try (ManualJobs manual = manual((text, job) -> {
            runs.incrementAndGet();
            answers.clear();
            for (int i = 0; i < 4; i++) {
                Optional<Signal<String>> signal = job.await("done", String.class, Duration.ofMinutes(1));
                answers.add(
                        signal.isEmpty() ? "empty" : "payload " + signal.get().payload());
            }
        })) {
            long id = manual.jobs().add(WORK, "x");
            for (int i = 0; i < 3; i++) {
                manual.runDue();
                pass(Duration.ofMinutes(1));
            }
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.SUSPENDED);
            manual.jobs().signal(id, "done", null);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(answers).containsExactly("empty", "empty", "empty", "payload null");
        assertThat(runs).hasValue(5);
    }

    @Test // the time is over while the queue is paused, and a signal comes before a run looks
    void signal_sentAfterTheEndOfTheTime_butBeforeTheRun_wins() {
        try (ManualJobs manual = manual((text, job) -> read.add(
                job.await("ok", Integer.class, HOUR).map(Signal::payload).toString()))) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            manual.jobs().admin().pause(NewJob.DEFAULT_QUEUE);
            pass(Duration.ofHours(2));
            manual.jobs().signal(id, "ok", 3);
            manual.jobs().admin().resume(NewJob.DEFAULT_QUEUE);
            manual.runDue();
            assertThat(read).containsExactly("Optional[3]");
            assertThat(database.number("SELECT count(*) FROM howdah_internal.job_record WHERE signal IS NULL"))
                    .isZero();
        }
    }

    @Test
    void wait_thatHasEndedByItsTime_leavesALaterSignalToTheNextOne() {
        Duration minute = Duration.ofMinutes(1);
        try (ManualJobs manual = manual((text, job) -> {
            read.add("" + job.await("a", Integer.class, minute).map(Signal::payload));
            job.sleep("between", minute);
            read.add("" + job.await("a", Integer.class, minute).map(Signal::payload));
        })) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            pass(minute);
            manual.runDue();
            pass(Duration.ofSeconds(30));
            manual.jobs().signal(id, "a", 7);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.SUSPENDED);
            pass(minute);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
            assertThat(read).endsWith("Optional.empty", "Optional[7]");
            assertThat(unread(manual, id)).isEmpty();
        }
    }

    @Test
    void awaitOrFail_failsForGood_andBeginsAnewWithARetry() {
        List<String> steps = new ArrayList<>();
        try (ManualJobs manual = manual((text, job) -> {
            job.step("a", Void.class, () -> {
                steps.add("a");
                return null;
            });
            read.add("" + job.awaitOrFail("ok", Integer.class, HOUR).payload());
        })) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            pass(HOUR);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.FAILED);
            assertThat(find(manual, id).error()).contains("no signal \"ok\" came within PT1H");
            assertThat(manual.jobs().admin().attempts(id)).hasSize(2);
            manual.jobs().admin().retry(id);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.SUSPENDED);
            manual.jobs().signal(id, "ok", 1);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(steps).containsExactly("a");
        assertThat(read).containsExactly("1");
    }

    @Test
    void signal_saysWhatBecameOfIt() throws SQLException {
        try (ManualJobs manual = manual((text, job) -> read.add("" + job.await("ok", String.class, HOUR)));
                Connection open = database.source().getConnection()) {
            Jobs jobs = manual.jobs();
            open.setAutoCommit(false);
            long mine = jobs.add(open, WORK, "x");
            assertThat(jobs.signal(open, NewSignal.to(mine, "ok", "a"))).isEqualTo(SignalResult.KEPT);
            assertThat(jobs.signal(mine, "ok", "b")).isEqualTo(SignalResult.UNKNOWN);
            open.rollback();
            long planned = jobs.add(NewJob.of(WORK, "x").delay(HOUR)).id();
            assertThat(jobs.signal(NewSignal.to(planned, "ok", "a").id("1"))).isEqualTo(SignalResult.KEPT);
            assertThat(jobs.signal(NewSignal.to(planned, "ok", "b").id("1"))).isEqualTo(SignalResult.DUPLICATE);
            assertThat(jobs.signal(NewSignal.to(planned, "ok", "b").once())).isEqualTo(SignalResult.DUPLICATE);
            long cancelled = jobs.add(NewJob.of(WORK, "x").delay(HOUR)).id();
            jobs.admin().cancel(cancelled);
            assertThat(jobs.signal(cancelled, "ok", "a")).isEqualTo(SignalResult.ENDED);
            assertThat(jobs.signal(NewSignal.to(WORK, "none", "ok", "a"))).isEqualTo(SignalResult.UNKNOWN);
            pass(HOUR);
            manual.runDue();
            assertThat(jobs.signal(NewSignal.to(planned, "ok", "c"))).isEqualTo(SignalResult.ENDED);
            assertThat(read).singleElement().asString().contains("payload=a");
            assertThat(database.number("SELECT count(*) FROM howdah_internal.job_signal"))
                    .isEqualTo(1);
        }
    }

    /** Each of two transactions sends with one id and does not see the other one. */
    @Test
    void duplicates_thatDoNotSeeEachOther_areReadOnce() throws SQLException {
        try (ManualJobs manual = manual((text, job) -> {
                    while (true) {
                        Optional<Signal<String>> signal = job.await("m", String.class, HOUR);
                        if (signal.isEmpty()) return;
                        read.add("" + signal.get().payload());
                    }
                });
                Connection one = database.source().getConnection();
                Connection two = database.source().getConnection()) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            one.setAutoCommit(false);
            two.setAutoCommit(false);
            two.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            manual.jobs().signal(one, NewSignal.to(id, "m", "a").id("k"));
            manual.jobs().signal(two, NewSignal.to(id, "m", "b").id("k"));
            two.commit();
            one.commit();
            manual.runDue();
            pass(HOUR);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
            assertThat(read).containsOnly("a");
        }
    }

    @Test
    void bounds_areAnErrorOfTheSender() throws SQLException {
        database.execute("CREATE TABLE mine (n integer)");
        try (ManualJobs manual = manual((text, job) -> {
                    job.await("m", Integer.class, HOUR);
                    job.await("end", Integer.class, HOUR);
                });
                Connection caller = database.connect()) {
            long id = manual.jobs().add(NewJob.of(WORK, "x").delay(HOUR)).id();
            database.execute("SELECT howdah.signal(" + id + ", 'm', '1') FROM generate_series(1, 1000)");
            caller.setAutoCommit(false);
            try (Statement statement = caller.createStatement()) {
                statement.execute("INSERT INTO mine VALUES (1)");
            }
            assertThatThrownBy(() -> manual.jobs().signal(caller, NewSignal.to(id, "m", 1)))
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining("job " + id + " has 1000 signals");
            caller.rollback();
            assertThat(database.number("SELECT count(*) FROM mine")).isZero();
            pass(HOUR);
            manual.runDue();
            // One is read.
            assertThat(manual.jobs().signal(id, "m", 1)).isEqualTo(SignalResult.KEPT);
            long other = manual.jobs().add(NewJob.of(WORK, "x").delay(HOUR)).id();
            assertThatThrownBy(() -> manual.jobs().signal(other, "m", "x".repeat(70_000)))
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining("65536");
            assertThatThrownBy(() -> database.execute("SELECT howdah.signal(" + other + ", 'm', '{')"))
                    .hasMessageContaining("json");
        }
    }

    @Test
    void signal_thatCannotBeRead_isSetAside_andTheWaitGoesOn() {
        try (ManualJobs manual = manual((text, job) -> read.add(
                "" + job.await("ok", Approval.class, HOUR).orElseThrow().payload()))) {
            long suspended = manual.jobs().add(WORK, "x");
            manual.runDue();
            database.execute("SELECT howdah.signal(" + suspended + ", 'ok', '{\"ok\": \"maybe\"}')");
            manual.runDue();
            assertThat(find(manual, suspended).state()).isEqualTo(JobState.SUSPENDED);
            assertThat(unread(manual, suspended))
                    .singleElement()
                    .satisfies(each -> assertThat(each.problem()).contains("maybe"));
            assertThat(database.number("SELECT howdah.release_signals(" + suspended + ")"))
                    .isEqualTo(1);
            manual.runDue();
            assertThat(unread(manual, suspended))
                    .extracting(SentSignal::problem)
                    .doesNotContainNull();
            manual.jobs().signal(suspended, "ok", new Approval(true));
            manual.runDue();
            assertThat(read).containsExactly("Approval[ok=true]");
            long early = manual.jobs().add(NewJob.of(WORK, "x").delay(HOUR)).id();
            database.execute("SELECT howdah.signal(" + early + ", 'ok', '[1]')");
            pass(HOUR);
            manual.runDue();
            assertThat(find(manual, early).state()).isEqualTo(JobState.SUSPENDED);
            manual.jobs().signal(early, "ok", new Approval(false));
            manual.runDue();
            assertThat(find(manual, early).state()).isEqualTo(JobState.DONE);
        }
    }

    /** Between the look of the run and the commit of its suspension, in either order. */
    @Test
    void signal_sentWhileTheJobIsBeingSuspended_isNotLost() throws SQLException {
        Connection[] open = new Connection[1];
        try (Connection sender = database.source().getConnection();
                ManualJobs manual = database.jobs()
                        .handle(WORK, (text, job) -> {
                            read.add(""
                                    + job.await("ok", Integer.class, HOUR)
                                            .orElseThrow()
                                            .payload());
                        })
                        .intercept((payload, job, next) -> {
                            Outcome outcome = next.proceed();
                            if (outcome == Outcome.Suspended.SUSPENDED) {
                                String send = "SELECT howdah.signal(" + job.id() + ", 'ok', '1')";
                                if ("commits before".equals(payload)) database.execute(send);
                                else
                                    try (Statement statement = open[0].createStatement()) {
                                        statement.execute(send);
                                    }
                            }
                            return outcome;
                        })
                        .manual()) {
            open[0] = sender;
            sender.setAutoCommit(false);
            long before = manual.jobs().add(WORK, "commits before");
            manual.runDue();
            assertThat(find(manual, before).state()).isEqualTo(JobState.DONE);
            long behind = manual.jobs().add(WORK, "commits behind");
            manual.runDue();
            assertThat(find(manual, behind).state()).isEqualTo(JobState.SUSPENDED);
            sender.commit();
            manual.runDue();
            assertThat(find(manual, behind).state()).isEqualTo(JobState.DONE);
        }
    }

    @Test // the transaction of a sender is open: nothing waits for it
    void openSender_holdsUpNothing() throws SQLException {
        try (Connection sender = database.source().getConnection();
                ManualJobs manual = manual((text, job) -> read.add("" + job.await("ok", Integer.class, HOUR)))) {
            long ends = manual.jobs().add(WORK, "x");
            long cancelled = manual.jobs().add(WORK, "x");
            manual.runDue();
            sender.setAutoCommit(false);
            manual.jobs().signal(sender, NewSignal.to(ends, "ok", 1));
            manual.jobs().signal(sender, NewSignal.to(cancelled, "ok", 1));
            assertThat(manual.jobs().admin().cancel(cancelled)).isEqualTo(CancelResult.CANCELLED);
            pass(HOUR);
            manual.runDue();
            assertThat(find(manual, ends).state()).isEqualTo(JobState.DONE);
            assertThat(read).containsExactly("Optional.empty");
            sender.commit();
            assertThat(unread(manual, ends)).hasSize(1);
            assertThat(unread(manual, cancelled)).hasSize(1);
        }
    }

    @Test // real nodes, senders of each isolation, jobs that are resumed and suspended all the time
    void signals_ofManySenders_areReadOnceEach() throws Exception {
        int senders = 4;
        int each = 60;
        database.execute("CREATE TABLE got (n integer)");
        try (Jobs jobs = database.jobs()
                .handle(WORK, (text, job) -> {
                    for (int i = 0; i < senders * each; i++) {
                        Integer value = job.await("m", Integer.class, HOUR)
                                .orElseThrow()
                                .payload();
                        job.stepInTransaction("got " + i, Integer.class, connection -> {
                            try (Statement statement = connection.createStatement()) {
                                return statement.executeUpdate("INSERT INTO got VALUES (" + value + ")");
                            }
                        });
                    }
                })
                .start()) {
            long id = jobs.add(WORK, "x");
            List<Throwable> failures = new CopyOnWriteArrayList<>();
            List<Thread> threads = new ArrayList<>();
            for (int s = 0; s < senders; s++) {
                int first = s * each;
                int isolation =
                        s % 2 == 0 ? Connection.TRANSACTION_SERIALIZABLE : Connection.TRANSACTION_REPEATABLE_READ;
                Thread thread = new Thread(() -> {
                    try (Connection connection = database.source().getConnection()) {
                        connection.setAutoCommit(false);
                        connection.setTransactionIsolation(isolation);
                        for (int i = 0; i < each; i++) {
                            jobs.signal(connection, NewSignal.to(id, "m", first + i));
                            connection.commit();
                        }
                    } catch (SQLException | RuntimeException e) {
                        failures.add(e);
                    }
                });
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) thread.join();
            assertThat(failures).isEmpty();
            jobs.await(id, JobsDatabase.PATIENCE);
            assertThat(database.text("SELECT count(*) || ' ' || count(DISTINCT n) FROM got"))
                    .isEqualTo(senders * each + " " + senders * each);
        }
    }

    @Test
    void sender_mayNothingElse() throws SQLException {
        String role = bare.name() + "_signals";
        database.execute("CREATE ROLE " + role + " LOGIN; SELECT howdah.allow('" + role + "', 'sender')");
        try (ManualJobs manual = manual((text, job) -> read.add("" + job.await("ok", Integer.class, HOUR)));
                Connection sender = JobsDatabase.as(bare, role).getConnection();
                Statement statement = sender.createStatement()) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            statement.execute("SELECT howdah.signal(" + id + ", 'ok', '1')");
            manual.runDue();
            assertThat(read).singleElement().asString().contains("sender=" + role);
            for (String forbidden : List.of(
                    "SELECT howdah.cancel(" + id + ")",
                    "SELECT howdah.add('q', 'k', '1'::json)",
                    "SELECT * FROM howdah_internal.job_signal",
                    "INSERT INTO howdah_internal.job_signal (job, name, payload, sender) VALUES (1, 'x', '1', 'y')"))
                assertThatThrownBy(() -> statement.execute(forbidden)).hasMessageContaining("permission denied");
        } finally {
            database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
        }
    }
}
