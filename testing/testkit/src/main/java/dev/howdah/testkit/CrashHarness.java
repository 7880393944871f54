package dev.howdah.testkit;

import dev.howdah.job.Handler;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.JobsException;
import dev.howdah.job.NewJob;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.testkit.internal.crash.CrashError;
import dev.howdah.testkit.internal.crash.CrashSwitch;
import dev.howdah.testkit.internal.sql.TestQueries;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Crashes the program of a job at every statement, lets the job be run again, and says what happened twice or never.
 *
 * <pre>{@code
 * CrashHarness.on(dataSource)
 *         .program(run -> Jobs.on(run.dataSource()).handle(CHARGE, (order, job) -> {
 *             run.record("card charged"); // instead of the call of the payment provider
 *             try (Connection connection = run.dataSource().getConnection()) {
 *                 insertInvoice(connection, order);
 *             }
 *         }))
 *         .job(NewJob.of(CHARGE, order))
 *         .effect("invoices", "SELECT count(*) FROM invoice")
 *         .run()
 *         .assertDone()
 *         .assertAtLeastOnce(); // assertExactlyOnce("invoices") would fail, and say where
 * }</pre>
 *
 * <p>The program is run without a crash first. Then, for each statement from the beginning of the handler until its outcome is written, it is
 * run twice with a crash: before the statement, and after the server has executed it. At the crash all connections of the program are cut, so
 * that the server rolls their transactions back, and nothing that the program does afterwards has an effect. Then another program gives the
 * jobs back and runs all that wait, each at its time, to their ends. COMMIT counts as a statement, also where the driver sends it;
 * a text of several statements counts as one.
 *
 * <p>A crash between two statements is the one before the second of them; what the handler does there has to be {@linkplain CrashRun#record
 * recorded}. Not simulated: a crash of the server, a program that lives on without its sessions, two attempts at the same time, and whatever
 * goes to the database by the driver's own interfaces (COPY, large objects) or by other connections than those of {@link
 * CrashRun#dataSource}.
 *
 * <p>The database has to be the test's own. For one thread at a time.
 */
public final class CrashHarness {
    private static final int MOST_POINTS = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final DataSource source;
    private final TestQueries queries;
    private final Map<String, String> probes = new LinkedHashMap<>();
    private @Nullable Function<CrashRun, JobsBuilder> program;
    private @Nullable Supplier<? extends NewJob<?>> job;
    private @Nullable String preparation;

    private CrashHarness(DataSource source) {
        this.source = source;
        this.queries = new TestQueries(source, "crash");
    }

    /** Returns a harness that works in the database of that data source. */
    public static CrashHarness on(DataSource source) {
        return new CrashHarness(source);
    }

    /**
     * Sets the program: it is made anew for each run.
     *
     * @param made returns jobs on the data source of that run, with their handlers
     */
    public CrashHarness program(Function<CrashRun, JobsBuilder> made) {
        program = made;
        return this;
    }

    /** Sets the job, which is added before each run. */
    public CrashHarness job(NewJob<?> added) {
        return job(() -> added);
    }

    /** As {@link #job(NewJob)}, for a job that has to differ from run to run. */
    public CrashHarness job(Supplier<? extends NewJob<?>> added) {
        job = added;
        return this;
    }

    /** Adds an effect of the job: the growth of a number in the database. */
    public CrashHarness effect(String name, String query) {
        probes.put(name, query);
        return this;
    }

    /** Sets what is run before each run, such as a {@code TRUNCATE}. */
    public CrashHarness before(String sql) {
        preparation = sql;
        return this;
    }

    /**
     * Runs the program without a crash, and then with a crash at every statement.
     *
     * @throws AssertionError if the program has no end, or the undisturbed job is not done
     */
    public CrashReport run() {
        Scenario undisturbed = new Scenario(0, false);
        CrashPoint whole = undisturbed.play();
        if (whole.state() != JobState.DONE)
            throw new AssertionError("the job is " + whole.state() + " without a crash");
        Map<String, Long> expected = new LinkedHashMap<>();
        whole.effects().forEach((name, times) -> {
            if (times != 0) expected.put(name, times);
        });
        for (String each : probes.keySet())
            if (!expected.containsKey(each))
                throw new AssertionError("the effect \"" + each + "\" does not happen without a crash");
        List<CrashPoint> points = new ArrayList<>();
        for (int at = 1; at <= MOST_POINTS; at++) {
            CrashPoint before = new Scenario(at, false).play();
            if (before.number() == 0) return new CrashReport(expected, points);
            points.add(before);
            CrashPoint after = new Scenario(at, true).play();
            if (after.number() > 0) points.add(after);
        }
        throw new AssertionError("the program has more than " + MOST_POINTS + " statements");
    }

    private Map<String, Long> probe() {
        Map<String, Long> found = new LinkedHashMap<>();
        probes.forEach((name, query) -> {
            try (Connection connection = source.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(query)) {
                row.next();
                found.put(name, row.getLong(1));
            } catch (SQLException e) {
                throw new AssertionError("the effect \"" + name + "\" cannot be counted: " + e.getMessage(), e);
            }
        });
        return found;
    }

    private void prepare() {
        if (preparation == null) return;
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(preparation);
            if (!connection.getAutoCommit()) connection.commit();
        } catch (SQLException e) {
            throw new AssertionError("the run cannot be prepared: " + e.getMessage(), e);
        }
    }

    /** A run of the program up to its crash, and one after it. */
    private final class Scenario {
        private final int at;
        private final boolean executed;
        private final Map<String, Long> effects = CrashRun.noEffects();

        Scenario(int at, boolean executed) {
            this.at = at;
            this.executed = executed;
        }

        CrashPoint play() {
            if (program == null) throw new IllegalStateException("the harness needs a program");
            if (job == null) throw new IllegalStateException("the harness needs a job");
            prepare();
            Map<String, Long> before = probe();
            CrashSwitch end = new CrashSwitch(at, executed);
            long id = life(end, program, job.get());
            if (end.crashed()) {
                awaitGone(end);
                CrashSwitch none = new CrashSwitch(0, false);
                try (TestJobs second = jobs(program.apply(CrashRun.of(source, none, effects)))) {
                    second.recoverCrashed();
                    second.drain();
                    return point(second, id, end, before);
                }
            }
            try (TestJobs reader = jobs(program.apply(CrashRun.of(source, end, effects)))) {
                return point(reader, id, end, before);
            }
        }

        private long life(CrashSwitch end, Function<CrashRun, JobsBuilder> made, NewJob<?> added) {
            CrashRun run = CrashRun.of(source, end, effects);
            Handler.Interceptor arm = (payload, job, next) -> {
                end.arm(true);
                return next.proceed();
            };
            TestJobs jobs = jobs(made.apply(run).intercept(arm));
            try {
                long id = jobs.jobs().add(added).id();
                try {
                    while (jobs.step()) end.arm(false);
                } catch (CrashError | JobsException e) {
                    if (!end.crashed()) throw e;
                }
                return id;
            } finally {
                end.arm(false);
                close(jobs, end);
            }
        }

        /** A dead program cannot say goodbye. */
        private void close(TestJobs jobs, CrashSwitch end) {
            try {
                jobs.close();
            } catch (RuntimeException | CrashError e) {
                if (!end.crashed()) throw e;
            }
        }

        private TestJobs jobs(JobsBuilder builder) {
            return TestJobs.of(source, builder);
        }

        private CrashPoint point(TestJobs jobs, long id, CrashSwitch end, Map<String, Long> before) {
            JobSummary ended = jobs.jobs()
                    .admin()
                    .find(id)
                    .orElseThrow(() -> new AssertionError("job " + id + " is not there any more"));
            Map<String, Long> all = new LinkedHashMap<>(effects);
            probe().forEach((name, count) -> all.put(name, count - before.getOrDefault(name, 0L)));
            String statement = end.statement();
            return new CrashPoint(
                    statement == null ? 0 : at,
                    executed,
                    statement == null ? "" : statement,
                    ended.state(),
                    ended.attempt(),
                    all);
        }

        /** The server rolls back what a session had begun when it sees that its program is gone. */
        private void awaitGone(CrashSwitch end) {
            Integer[] sessions = end.sessions().toArray(Integer[]::new);
            long until = System.nanoTime() + PATIENCE.toNanos();
            while (Objects.requireNonNull(queries.number("session_count", (Object) sessions)) > 0) {
                if (System.nanoTime() - until > 0)
                    throw new AssertionError(
                            "the server still has sessions of the program that crashed " + PATIENCE + " ago");
                Thread.onSpinWait();
            }
        }
    }
}
