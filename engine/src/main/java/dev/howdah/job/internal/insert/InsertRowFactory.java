package dev.howdah.job.internal.insert;

import dev.howdah.internal.trace.Tracing;
import dev.howdah.job.NewJob;
import dev.howdah.job.internal.lane.Lane;
import dev.howdah.job.internal.lane.LaneRegistry;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.internal.store.JobOptions;
import dev.howdah.job.internal.store.JobPayloads;
import dev.howdah.spi.PayloadCodec;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Makes of jobs what is written: finds their lanes, says their payloads in JSON. Safe for use by many threads. */
public final class InsertRowFactory {
    private static final Tracing TRACING = Tracing.find(InsertRowFactory.class);

    private final LaneRegistry lanes;
    private final PayloadCodec codec;
    private final BiConsumer<NewJob<?>, String> added;

    /** @param added gets each job that is to be added, with its payload in JSON */
    public InsertRowFactory(LaneRegistry lanes, PayloadCodec codec, BiConsumer<NewJob<?>, String> added) {
        this.lanes = lanes;
        this.codec = codec;
        this.added = added;
    }

    /** @throws IllegalArgumentException if the payload cannot be said in JSON, or a name cannot be */
    InsertRow of(NewJob<?> job) throws SQLException {
        return of(null, job);
    }

    /** As {@link #of(NewJob)}, to be written in the transaction of that connection; null: in one of its own. */
    InsertRow of(@Nullable Connection transaction, NewJob<?> job) throws SQLException {
        JobNames.checkNew(job);
        return of(transaction, job, encoded(job));
    }

    /**
     * The job as it was when it was added, though it is written later.
     *
     * @param payload JSON
     * @param trace the context in which it is added
     */
    record Encoded(String payload, @Nullable String trace) {}

    /** @throws IllegalArgumentException if the payload cannot be said in JSON, or a name cannot be */
    Encoded encode(NewJob<?> job) {
        JobNames.checkNew(job);
        return new Encoded(encoded(job), TRACING.current());
    }

    /** As it was when it was added. */
    InsertRow of(NewJob<?> job, Encoded encoded) throws SQLException {
        return new InsertRow(template(null, job, encoded.trace(), 0), encoded.payload());
    }

    /** With that payload, which is JSON already. */
    public InsertRow of(@Nullable Connection transaction, NewJob<?> job, String payload) throws SQLException {
        return new InsertRow(template(transaction, job, TRACING.current(), 0), payload);
    }

    /** Many, to be written in the transaction of that connection, in their order; most differ in nothing but their payloads. */
    List<InsertBatch> of(Connection transaction, List<? extends NewJob<?>> jobs) throws SQLException {
        return of(transaction, jobs, 0);
    }

    /** As {@link #of(Connection, List)}, of a workflow; 0: of none. */
    List<InsertBatch> of(Connection transaction, List<? extends NewJob<?>> jobs, long workflow) throws SQLException {
        String trace = TRACING.current();
        InsertBatch.Collector batches = new InsertBatch.Collector();
        NewJob<?> before = null;
        InsertTemplate template = null;
        for (NewJob<?> job : jobs) {
            if (template == null || before == null || !isLike(job, before)) {
                JobNames.checkNew(job);
                template = template(transaction, job, trace, workflow);
            }
            batches.add(template, encoded(job));
            before = job;
        }
        return batches.batches();
    }

    private String encoded(NewJob<?> job) {
        String payload = JobPayloads.encode(job, codec);
        added.accept(job, payload);
        return payload;
    }

    /** Returns true if the two surely differ in nothing but their payloads. Copies share what they do not change. */
    private static boolean isLike(NewJob<?> one, NewJob<?> other) {
        return one.kind() == other.kind()
                && one.queue() == other.queue()
                && one.priority() == other.priority()
                && one.delay() == other.delay()
                && one.runAt() == other.runAt()
                && one.unique() == other.unique()
                && one.orderKey() == other.orderKey()
                && one.version() == other.version()
                && one.maxAttempts() == other.maxAttempts()
                && one.timeout() == other.timeout()
                && one.options() == other.options();
    }

    /** What a job of a log queue cannot have. */
    private static void refuse(NewJob<?> job, long workflow) {
        String refused = null;
        if (job.priority() != 0) refused = "the priority " + job.priority();
        else if (job.runAt() != null) refused = "the time " + job.runAt() + " at which it runs";
        else if (!job.delay().isZero()) refused = "a delay of " + job.delay();
        else if (job.key() != null) refused = "the key " + job.key();
        else if (job.unique() != null) refused = "a rule of uniqueness";
        else if (JobOptions.of(job.options(), "group") != null) refused = "a group";
        else if (JobOptions.of(job.options(), "weight") != null) refused = "a weight";
        else if (workflow != 0) refused = "a workflow";
        if (refused != null)
            throw new IllegalArgumentException("a job " + job.kind().name() + " with " + refused
                    + " cannot be added to the log queue " + job.queue() + ": add it to another queue");
    }

    /** Whether the statement that adds it looks for its lane by the name of the queue. */
    private static boolean isByName(NewJob<?> job, long workflow) {
        return workflow != 0
                || job.key() != null
                || job.unique() != null
                || job.orderKey() != null
                || JobOptions.of(job.options(), "group") != null
                || JobOptions.of(job.options(), "weight") != null;
    }

    private InsertTemplate template(
            @Nullable Connection transaction, NewJob<?> job, @Nullable String trace, long workflow)
            throws SQLException {
        String kind = job.kind().name();
        Lane lane = lanes.forJob(transaction, job.queue(), kind, job.priority(), isByName(job, workflow));
        if (lane.log()) refuse(job, workflow);
        return new InsertTemplate(
                lane,
                kind,
                job.priority(),
                job.runAt() == null ? null : job.runAt().toString(),
                Durations.micros(job.delay()),
                InsertTemplate.Unusual.of(job, trace, workflow));
    }
}
