package dev.howdah.testkit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.JobsException;
import dev.howdah.job.ManualJobs;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Jobs under a test's control, on the test's own database: jobs run only when the test calls {@link #runDue}, in its thread, and time
 * passes only when it calls {@link #advance}.
 *
 * <pre>{@code
 * try (TestJobs jobs = TestJobs.of(dataSource, Jobs.on(dataSource).handle(welcome, handler))) {
 *     new Registration(jobs.jobs()).register("ann@example.com");
 *     jobs.assertAdded("welcome", new Welcome("ann@example.com"));
 *     jobs.runDue();
 *     jobs.advance(Duration.ofDays(7));
 *     jobs.runDue(); // the reminder
 * }
 * }</pre>
 *
 * <p>No other node may claim from the same queues of that database meanwhile. For one thread at a time.
 */
public final class TestJobs implements AutoCloseable {
    private static final SqlFile SQL = SqlFile.of(TestJobs.class, "testkit.sql");
    private static final Sql WAITING = SQL.statement("test_waiting");
    private static final Sql FAILED = SQL.statement("test_failed");
    private static final Sql ADVANCE = SQL.statement("test_advance");
    private static final Sql NEXT_DUE = SQL.statement("test_next_due");
    private static final int ROUNDS = 1_000;

    private final ConnectionSource source;
    private final ManualJobs manual;
    private final ObjectMapper json = JsonMapper.builder()
            .findAndAddModules()
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .enable(SerializationFeature.WRITE_DATES_WITH_ZONE_ID)
            .build();

    private TestJobs(ConnectionSource source, ManualJobs manual) {
        this.source = source;
        this.manual = manual;
    }

    /**
     * Makes jobs of that builder, which has to use that data source.
     *
     * @throws JobsException if the database cannot be used
     */
    public static TestJobs of(DataSource source, JobsBuilder builder) {
        return new TestJobs(ConnectionSource.of(source), builder.manual());
    }

    /** Returns the object for the code under test, which adds jobs with it. */
    public Jobs jobs() {
        return manual.jobs();
    }

    /** Runs all due jobs in this thread; see {@link ManualJobs#runDue}. Returns the number of attempts. */
    public int runDue() {
        return manual.runDue();
    }

    /** Moves the time of all waiting jobs. Schedules add no jobs here: the test adds them. */
    public void advance(Duration time) {
        ask(ADVANCE, time.toNanos() / 1000);
    }

    /**
     * Runs all waiting jobs, in order, moving the time from one job to the next, retries included. Returns the number of attempts.
     *
     * @throws AssertionError if it does not come to an end
     */
    public int drain() {
        int attempts = runDue();
        for (int round = 0; round < ROUNDS; round++) {
            Long micros = nextDue();
            if (micros == null) return attempts;
            advance(Duration.ofNanos((micros + 1) * 1000));
            int more = runDue();
            if (more == 0) return attempts; // jobs that wait are of kinds or queues without a handler here
            attempts += more;
        }
        throw new AssertionError("after " + attempts + " attempts there are still jobs that wait: " + waiting());
    }

    private @Nullable Long nextDue() {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = NEXT_DUE.prepare(connection, (Object) null);
                ResultSet row = statement.executeQuery()) {
            row.next();
            long micros = row.getLong(1);
            return row.wasNull() ? null : micros;
        } catch (SQLException e) {
            throw new JobsException("the next job could not be found: " + e.getMessage(), e);
        }
    }

    /** Returns waiting jobs in the order in which they would run. */
    public List<SeenJob> waiting() {
        return ask(WAITING, null, null);
    }

    /** Returns waiting jobs of one kind. */
    public List<SeenJob> waiting(String kind) {
        return ask(WAITING, null, kind);
    }

    /** Returns jobs that have failed for good, the latest last. */
    public List<SeenJob> failed() {
        return ask(FAILED, null, null);
    }

    /**
     * Fails unless a job of that kind with an equal payload waits.
     *
     * @throws AssertionError that says which ones wait
     */
    public void assertAdded(String kind, Object payload) {
        JsonNode wanted = json.valueToTree(payload);
        List<SeenJob> there = waiting(kind);
        if (there.stream().noneMatch(job -> tree(job.payload()).equals(wanted)))
            throw new AssertionError("no job " + kind + " with " + wanted + " waits, only "
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

    private JsonNode tree(String text) {
        try {
            return json.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError("the database says of a payload: " + text, e);
        }
    }

    private List<SeenJob> ask(Sql sql, @Nullable Object... values) {
        List<SeenJob> found = new ArrayList<>();
        try (Connection connection = source.getConnection();
                PreparedStatement statement = sql.prepare(connection, values)) {
            if (!statement.execute()) return found;
            try (ResultSet row = statement.getResultSet()) {
                while (row.next())
                    found.add(new SeenJob(
                            row.getLong(1),
                            row.getString(2),
                            row.getString(3),
                            row.getString(4),
                            row.getInt(5),
                            row.getString(6)));
            }
            return found;
        } catch (SQLException e) {
            throw new JobsException("the jobs could not be asked for: " + e.getMessage(), e);
        }
    }

    /** Closes the connection; jobs stay as they are. */
    @Override
    public void close() {
        manual.close();
    }
}
