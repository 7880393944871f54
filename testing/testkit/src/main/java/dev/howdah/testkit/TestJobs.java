package dev.howdah.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.Kind;
import dev.howdah.job.ManualJobs;
import dev.howdah.testkit.internal.sql.JsonValues;
import dev.howdah.testkit.internal.sql.TestQueries;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Jobs under a test's control, on the test's own database: jobs run only when the test calls {@link #runDue} or {@link #runFor}, in its
 * thread, and time passes only when it calls {@link #advance} or {@link #runFor}.
 *
 * <pre>{@code
 * try (TestJobs jobs = TestJobs.of(dataSource, Jobs.on(dataSource).handle(WELCOME, handler))) {
 *     new Registration(jobs.jobs()).register("ann@example.com");
 *     jobs.assertAdded(WELCOME, new Welcome("ann@example.com"));
 *     jobs.runDue();
 *     jobs.advance(Duration.ofDays(7));
 *     jobs.runDue(); // the reminder
 * }
 * }</pre>
 *
 * <p>The time of a test is the database's time and all that the test has let pass: rows of waiting jobs and of schedules are moved to earlier
 * times instead. Code that reads another clock, such as {@code Instant.now()}, reads the real time; {@link #now} is the test's.
 *
 * <p>No other node may claim from the same queues of that database meanwhile. For one thread at a time.
 */
public final class TestJobs implements AutoCloseable {
    private static final int ROUNDS = 10_000;

    private final TestQueries queries;
    private final ManualJobs manual;
    private final List<String> differences = new ArrayList<>();
    private Duration ahead = Duration.ZERO;

    private TestJobs(TestQueries queries, ManualJobs manual) {
        this.queries = queries;
        this.manual = manual;
    }

    /**
     * Makes jobs of that builder, which has to use that data source.
     *
     * @throws dev.howdah.job.JobsException if the database cannot be used
     */
    public static TestJobs of(DataSource source, JobsBuilder builder) {
        ManualJobs manual = builder.manual();
        return new TestJobs(new TestQueries(source, "job", manual.schema()), manual);
    }

    /** Returns the object for the code under test, which adds jobs with it. */
    public Jobs jobs() {
        return manual.jobs();
    }

    /**
     * From now on each run of a job that has waited is rehearsed twice before it, with what earlier runs have recorded, up to the first step or wait that is
     * new: {@link #runDue} and the like fail if the handler has not asked for the same steps, waits and children in both, because it depends on the time, on
     * random numbers or on what it has kept elsewhere. Code between steps and waits is called in rehearsals too.
     */
    public TestJobs replaying() {
        manual.replaying(differences::add);
        return this;
    }

    /**
     * Fails if a job that waits would not go on behind what it has recorded, with the handlers of this program: for the tests of a program's next version, over
     * a copy of the database of the one that runs. Each handler is run twice, up to the first step or wait that is new; code between them is called.
     *
     * @throws AssertionError that says which jobs would diverge, and at which record
     */
    public void assertReplays() {
        List<String> problems = manual.rehearse();
        if (!problems.isEmpty()) throw new AssertionError(String.join("; ", problems));
    }

    private void assertSameReplays() {
        if (differences.isEmpty()) return;
        List<String> all = List.copyOf(differences);
        differences.clear();
        throw new AssertionError(String.join("; ", all));
    }

    /** Returns the test's time. */
    public Instant now() {
        return Instant.EPOCH.plus(databaseMicros(), ChronoUnit.MICROS).plus(ahead);
    }

    /**
     * Runs all due jobs in this thread; see {@link ManualJobs#runDue()}. Schedules that are due add their jobs before: those whose times are
     * over by more than a minute do as {@link dev.howdah.job.Schedule#missed} and {@link dev.howdah.job.Schedule#catchUp} say, as when no node
     * was running. Returns the number of attempts.
     */
    public int runDue() {
        int attempts = manual.runDue(ahead);
        assertSameReplays();
        return attempts;
    }

    /** Lets time pass in which nothing runs: no job, and no schedule; as if no node were there. */
    public void advance(Duration time) {
        if (time.isNegative()) throw new IllegalArgumentException("time does not go back, not by " + time);
        manual.addScheduled(ahead); // those that are new get their first time
        long micros = TimeUnit.MICROSECONDS.convert(time);
        List<String[]> schedules =
                queries.list("test_schedules", row -> new String[] {row.getString(1), row.getString(2)});
        queries.run("test_advance", micros);
        queries.run(
                "test_advance_schedules",
                schedules.stream().map(each -> each[0]).toArray(String[]::new),
                schedules.stream().map(each -> each[1]).toArray(String[]::new),
                micros);
        ahead = ahead.plus(micros, ChronoUnit.MICROS);
    }

    /**
     * Lets time pass in which jobs and schedules run, each at its time, as on a node that has nothing else to do: handlers take no time.
     *
     * @return the number of attempts
     */
    public int runFor(Duration time) {
        Instant end = now().plus(time);
        int attempts = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long began = databaseMicros();
            attempts += runDue();
            Duration next = nextDue(began, true);
            Duration left = Duration.between(now(), end);
            if (next == null || next.compareTo(left) >= 0) {
                if (!left.isNegative()) advance(left);
                return attempts + runDue();
            }
            advance(next);
        }
        throw new AssertionError("after " + attempts + " attempts " + time + " is not over");
    }

    /**
     * Runs all waiting jobs, in order, moving the time from one job to the next, retries and sleeps included. It stops where all that is left waits for
     * signals. Returns the number of attempts.
     *
     * @throws AssertionError if it does not come to an end
     */
    public int drain() {
        int attempts = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long began = databaseMicros();
            attempts += runDue();
            Duration next = nextDue(began, false);
            if (next == null) return attempts; // jobs that wait are of kinds or queues without a handler here
            advance(next);
        }
        throw new AssertionError("after " + attempts + " attempts there are still jobs that wait: " + waiting());
    }

    /** Runs the next waiting job, and moves the time if none is due; false: none waits. */
    boolean step() {
        long began = databaseMicros();
        boolean ran = manual.runNext(ahead);
        assertSameReplays();
        if (ran) return true;
        Duration next = nextDue(began, false);
        if (next == null) return false;
        advance(next);
        return true;
    }

    /** See {@link ManualJobs#recoverCrashed}. */
    void recoverCrashed() {
        manual.recoverCrashed();
    }

    private long databaseMicros() {
        return Objects.requireNonNull(queries.number("test_now"));
    }

    private @Nullable Duration nextDue(long notDueAt, boolean schedules) {
        Long micros = queries.number("test_next_due", notDueAt, schedules);
        return micros == null ? null : Duration.of(Math.max(micros, 0) + 1, ChronoUnit.MICROS);
    }

    /** Returns waiting jobs in the order in which they would run. */
    public List<SeenJob> waiting() {
        return queries.list("test_waiting", TestJobs::seen, null, null);
    }

    /** Returns waiting jobs of one kind. */
    public List<SeenJob> waiting(String kind) {
        return queries.list("test_waiting", TestJobs::seen, null, kind);
    }

    /** Returns jobs whose handlers wait, the one first whose wait ends first. */
    public List<SeenJob> suspended() {
        return queries.list("test_suspended", TestJobs::seen, null, null);
    }

    /**
     * Fails unless a job of that kind waits for a sleep or a signal of that name.
     *
     * @throws AssertionError that says which ones wait
     */
    public void assertSuspended(String kind, String name) {
        if (queries.list("test_suspended", TestJobs::seen, kind, name).isEmpty())
            throw new AssertionError("no job " + kind + " waits for \"" + name + "\", only " + suspended());
    }

    /** Returns jobs that have failed for good, the latest last. */
    public List<SeenJob> failed() {
        return queries.list("test_failed", TestJobs::seen, null, null);
    }

    private static SeenJob seen(ResultSet row) throws SQLException {
        return new SeenJob(
                row.getLong(1), row.getString(2), row.getString(3), row.getString(4), row.getInt(5), row.getString(6));
    }

    /**
     * Fails unless a job of that kind with an equal payload waits.
     *
     * @throws AssertionError that says which ones wait
     */
    public void assertAdded(String kind, Object payload) {
        JsonNode wanted = JsonValues.of(payload);
        List<SeenJob> there = waiting(kind);
        if (there.stream().noneMatch(job -> JsonValues.areEqual(JsonValues.read(job.payload()), wanted)))
            throw new AssertionError("no job " + kind + " with " + wanted + " waits, only "
                    + there.stream().map(SeenJob::payload).toList());
    }

    /** As {@link #assertAdded(String, Object)}. */
    public <T> void assertAdded(Kind<T> kind, T payload) {
        assertAdded(kind.name(), Objects.requireNonNull(payload, "a payload is needed, not null"));
    }

    /**
     * Fails unless exactly so many jobs of that kind wait.
     *
     * @throws AssertionError that says which ones wait
     */
    public void assertWaiting(String kind, int count) {
        List<SeenJob> there = waiting(kind);
        if (there.size() != count)
            throw new AssertionError(there.size() + " jobs " + kind + " wait instead of " + count + ": "
                    + there.stream().map(SeenJob::payload).toList());
    }

    /**
     * Fails unless no job of that kind waits.
     *
     * @throws AssertionError that says which ones do
     */
    public void assertNotAdded(String kind) {
        List<SeenJob> there = waiting(kind);
        if (!there.isEmpty()) throw new AssertionError("jobs " + kind + " wait: " + there);
    }

    /**
     * Fails if a job has failed for good.
     *
     * @throws AssertionError with the errors
     */
    public void assertNoneFailed() {
        List<SeenJob> there = failed();
        if (!there.isEmpty()) throw new AssertionError("jobs have failed: " + there);
    }

    /** Closes the connection; jobs stay as they are. */
    @Override
    public void close() {
        manual.close();
    }
}
