package dev.howdah.job.internal.insert;

import dev.howdah.internal.connection.CallerTransaction;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.error.SqlErrorText;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.job.AddResult;
import dev.howdah.job.JobsException;
import dev.howdah.job.NewJob;
import dev.howdah.job.internal.store.JobMetrics;
import dev.howdah.job.log.LogQueueFullException;
import dev.howdah.spi.TransactionBridge;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Takes in jobs for callers, in their transaction or in one of its own; what the database says against them it says in words. Safe for use by many threads. */
public final class JobInserter {
    /** Of howdah_internal.log_check_room. */
    private static final String LOG_QUEUE_FULL = "53H01";

    private final ConnectionSource source;
    private final InsertRowFactory rowFactory;
    private final InsertStatements insertStatements = new InsertStatements();
    private final GroupWriter writer;
    private final GroupCommit group;
    private final AsyncInserter async;
    private final JobMetrics meter;
    private final AddInterceptors interceptors;
    private final CallerTransaction caller;

    /**
     * @param sessions where those come from that are kept
     * @param writers how many of these are kept at most
     * @param interceptors of jobs that this object adds; not of members of workflows
     * @param bridge to the transactions of callers; null: they say their connection
     */
    public JobInserter(
            ConnectionSource source,
            ConnectionSource sessions,
            InsertRowFactory rowFactory,
            JobMetrics meter,
            int writers,
            AddInterceptors interceptors,
            @Nullable TransactionBridge bridge) {
        this.caller = new CallerTransaction(bridge);
        this.interceptors = interceptors;
        this.meter = meter;
        this.source = source;
        this.rowFactory = rowFactory;
        this.writer = new GroupWriter(sessions, insertStatements);
        this.group = new GroupCommit(writer, writers);
        this.async = new AsyncInserter(rowFactory, writer, (job, encoded) -> offer(rowFactory.of(job, encoded)));
    }

    /** The metrics of jobs. */
    public JobMetrics meter() {
        return meter;
    }

    /** Whether the calling thread is in a transaction. */
    public boolean isJoining() {
        return caller.isActive();
    }

    /** Calls {@code work} with the connection of that transaction. */
    public <T> T join(Function<Connection, T> work) {
        try {
            return caller.join(work);
        } catch (SQLException e) {
            throw new JobsException(ErrorText.message(e), e);
        }
    }

    /** What has no key is added together with what others add at the same time. */
    public AddResult add(NewJob<?> given) {
        if (isJoining()) return join(connection -> add(connection, given));
        NewJob<?> job = interceptors.apply(given, null);
        try {
            InsertRow insertRow = rowFactory.of(job);
            if (insertRow.template().isKeyed()) return counted(job, offer(insertRow));
            return counted(job, new AddResult(group.add(insertRow), true));
        } catch (SQLException e) {
            throw failed(job, e);
        }
    }

    /** As {@link #add(NewJob)}; the future completes when the job is durable, or says why it is not. */
    public CompletableFuture<AddResult> addAsync(NewJob<?> given) {
        NewJob<?> job;
        try {
            if (isJoining()) return CompletableFuture.completedFuture(add(given));
            job = interceptors.apply(given, null);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        CompletableFuture<AddResult> added = async.add(job);
        return meter.isOff() ? added : added.thenApply(result -> counted(job, result));
    }

    public AddResult add(Connection connection, NewJob<?> given) {
        NewJob<?> job = interceptors.apply(given, connection);
        try {
            Connection own = source.inSchema(connection);
            return counted(job, insertStatements.offer(own, rowFactory.of(own, job)));
        } catch (SQLException e) {
            throw failed(job, e);
        }
    }

    private AddResult counted(NewJob<?> job, AddResult added) {
        if (added.added() && !meter.isOff()) caller.afterCommit(() -> meter.added(job));
        return added;
    }

    private AddResult offer(InsertRow insertRow) throws SQLException {
        try (Connection connection = source.getConnection()) {
            return insertStatements.offer(connection, insertRow);
        }
    }

    /** Their numbers, or those of the jobs that have their keys. */
    public List<Long> addAll(List<? extends NewJob<?>> given) {
        if (isJoining()) return join(connection -> addAll(connection, given));
        List<? extends NewJob<?>> jobs = interceptors.apply(given, null);
        if (hasKeys(jobs)) return ids(addIntercepted(jobs));
        try (Connection connection = source.getConnection()) {
            return counted(
                    jobs,
                    Transactions.in(
                            connection, () -> insertStatements.addAll(connection, rowFactory.of(connection, jobs))));
        } catch (SQLException e) {
            throw failed(jobs, e);
        }
    }

    public List<Long> addAll(Connection connection, List<? extends NewJob<?>> given) {
        List<? extends NewJob<?>> jobs = interceptors.apply(given, connection);
        if (hasKeys(jobs)) return ids(addIntercepted(connection, jobs));
        try {
            Connection own = source.inSchema(connection);
            return counted(jobs, insertStatements.addAll(own, rowFactory.of(own, jobs)));
        } catch (SQLException e) {
            throw failed(jobs, e);
        }
    }

    /** Adds jobs without keys to a workflow, in the transaction of that connection. */
    public List<Long> addMembers(Connection connection, long workflow, List<? extends NewJob<?>> jobs)
            throws SQLException {
        return counted(jobs, insertStatements.addAll(connection, rowFactory.of(connection, jobs, workflow)));
    }

    public List<AddResult> addEach(List<? extends NewJob<?>> jobs) {
        if (isJoining()) return join(connection -> addEach(connection, jobs));
        return addIntercepted(interceptors.apply(jobs, null));
    }

    private List<AddResult> addIntercepted(List<? extends NewJob<?>> jobs) {
        try (Connection connection = source.getConnection()) {
            return added(
                    jobs,
                    Transactions.in(
                            connection, () -> insertStatements.addEach(connection, rowFactory.of(connection, jobs))));
        } catch (SQLException e) {
            throw failed(jobs, e);
        }
    }

    public List<AddResult> addEach(Connection connection, List<? extends NewJob<?>> jobs) {
        return addIntercepted(connection, interceptors.apply(jobs, connection));
    }

    private List<AddResult> addIntercepted(Connection connection, List<? extends NewJob<?>> jobs) {
        try {
            Connection own = source.inSchema(connection);
            return added(jobs, insertStatements.addEach(own, rowFactory.of(own, jobs)));
        } catch (SQLException e) {
            throw failed(jobs, e);
        }
    }

    private static boolean hasKeys(List<? extends NewJob<?>> jobs) {
        for (NewJob<?> job : jobs) if (job.unique() != null) return true;
        return false;
    }

    private static List<Long> ids(List<AddResult> results) {
        List<Long> ids = new ArrayList<>(results.size());
        for (AddResult each : results) ids.add(each.id());
        return ids;
    }

    private List<Long> counted(List<? extends NewJob<?>> jobs, List<Long> ids) {
        if (!meter.isOff()) caller.afterCommit(() -> jobs.forEach(meter::added));
        return ids;
    }

    private List<AddResult> added(List<? extends NewJob<?>> jobs, List<AddResult> results) {
        if (meter.isOff()) return results;
        Iterator<AddResult> each = results.iterator();
        for (NewJob<?> job : jobs) counted(job, each.next());
        return results;
    }

    private static JobsException failed(List<? extends NewJob<?>> jobs, SQLException e) {
        return failed(jobs.size() + " jobs could not be added: " + SqlErrorText.of(e), e);
    }

    static JobsException failed(NewJob<?> job, SQLException e) {
        return failed(
                "a job " + job.kind().name() + " could not be added to queue " + job.queue() + ": "
                        + SqlErrorText.of(e),
                e);
    }

    private static JobsException failed(String message, SQLException e) {
        return LOG_QUEUE_FULL.equals(e.getSQLState())
                ? new LogQueueFullException(message, e)
                : new JobsException(message, e);
    }

    /** @param nanos how long it waits for jobs that are being added for callers that do not wait */
    public void close(long nanos) {
        async.close(nanos);
        writer.close();
    }
}
