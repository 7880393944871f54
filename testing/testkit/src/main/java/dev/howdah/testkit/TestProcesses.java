package dev.howdah.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.process.ProcessState;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.Processes;
import dev.howdah.process.ProcessesBuilder;
import dev.howdah.testkit.internal.sql.JsonValues;
import dev.howdah.testkit.internal.sql.Settling;
import dev.howdah.testkit.internal.sql.TestQueries;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Processes on a test's own database: calls are answered as in production, by threads of a node, and time passes when the test says so: each
 * timer fires at its time.
 *
 * <pre>{@code
 * try (TestProcesses processes = TestProcesses.of(dataSource, Processes.on(dataSource).namespace(SUBSCRIPTION))) {
 *     processes.processes().init("subscription", "ann", "trial");
 *     processes.advance(Duration.ofDays(30)); // the trial ends
 *     processes.assertEvents("subscription", "ann", "trial", "expired");
 * }
 * }</pre>
 *
 * <p>Timers that come by themselves while the test runs fire as well. Notices of a namespace without a publisher, whose {@code outbox} is on,
 * stay where {@link #notices} finds them. For one thread at a time.
 */
public final class TestProcesses implements AutoCloseable {
    private final Processes processes;
    private final TestQueries queries;
    private final Settling time;

    private TestProcesses(Processes processes, TestQueries queries) {
        this.processes = processes;
        this.queries = queries;
        this.time = new Settling(
                "processes",
                () -> queries.list("process_unsettled", row -> row.getString(1)),
                () -> queries.number("process_next_due"),
                micros -> queries.run("process_advance", micros));
    }

    /**
     * Starts processes of that builder, which has to use that data source.
     *
     * @throws dev.howdah.process.ProcessException if the database cannot be used
     */
    public static TestProcesses of(DataSource source, ProcessesBuilder builder) {
        return new TestProcesses(builder.start(), new TestQueries(source, "process"));
    }

    /** Returns the object for the code under test. */
    public Processes processes() {
        return processes;
    }

    /**
     * Waits until all steps have ended that are due: those of {@linkplain Processes#notify notified} processes and of timers.
     *
     * @throws AssertionError if one does not end within half a minute
     */
    public void runDue() {
        time.settle();
    }

    /**
     * Lets time pass in which timers fire, each at its time.
     *
     * @throws AssertionError if a step does not end within half a minute
     */
    public void advance(Duration passed) {
        time.pass(passed);
    }

    /** Returns the notices that have not been published, in their order. */
    public List<SeenNotice> notices() {
        return queries.list(
                "process_notices",
                row -> new SeenNotice(
                        row.getString(1),
                        row.getString(2),
                        row.getString(3),
                        row.getObject(4, Long.class),
                        row.getString(5),
                        row.getString(6)));
    }

    /**
     * Fails unless the process has these events, in this order and no others.
     *
     * @param payloads compared as JSON
     * @throws AssertionError with the events that it has
     */
    public void assertEvents(String namespace, String id, Object... payloads) {
        List<JsonNode> wanted = Stream.of(payloads).map(JsonValues::of).toList();
        List<JsonNode> found = processes.get(namespace, id).history().stream()
                .map(each -> JsonValues.read(each.payload().text()))
                .toList();
        if (!JsonValues.areEqual(found, wanted))
            throw new AssertionError(
                    "process " + id + " of " + namespace + " has the events " + found + ", not " + wanted);
    }

    /**
     * Fails unless the process has that status.
     *
     * @throws AssertionError with the status and its detail
     */
    public void assertStatus(String namespace, String id, ProcessStatus status) {
        ProcessState found = processes.get(namespace, id);
        if (found.status() != status)
            throw new AssertionError("process " + id + " of " + namespace + " is " + found.status() + ", not " + status
                    + (found.detail() == null ? "" : ": " + found.detail()));
    }

    /**
     * Fails unless there is a notice of that kind about the process.
     *
     * @param kind {@code event}, {@code created}, {@code failed}, {@code repaired} or {@code removed}
     * @throws AssertionError with the notices that there are
     */
    public void assertNotice(String namespace, String id, String kind) {
        List<SeenNotice> there = notices();
        if (there.stream()
                .noneMatch(each -> each.namespace().equals(namespace)
                        && each.process().equals(id)
                        && each.kind().equals(kind)))
            throw new AssertionError(
                    "no notice " + kind + " about process " + id + " of " + namespace + ", only " + there);
    }

    /** Stops the node; processes stay as they are. */
    @Override
    public void close() {
        processes.close();
    }
}
