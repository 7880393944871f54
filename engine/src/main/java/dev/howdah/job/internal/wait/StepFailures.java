package dev.howdah.job.internal.wait;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.Job;
import dev.howdah.job.JobsException;
import dev.howdah.job.internal.attempt.OpenWait.Type;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.wait.FailedStepException;
import java.lang.reflect.Constructor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The steps of the handler's thread that have thrown in this run or in earlier ones. A failure is recorded when the handler has caught it, that is with
 * the next record: one that leaves the handler is not, and the next attempt does its step again.
 */
public final class StepFailures {
    private static final Sql WRITE = JobSql.WAIT.statement("step_failed", FailedSteps.class);
    private static final int LONGEST_MESSAGE = 8_000;

    private final ClaimedBatch batch;
    private final Job job;
    private final JobWaits waits;
    private final WaitRecords records;
    private final Map<String, Integer> counts = new HashMap<>();
    private final List<WaitRecord> pending = new ArrayList<>();
    /** How many of these, from the first on, are in the last statement that recorded some. */
    private int recorded;

    StepFailures(ClaimedBatch batch, Job job, JobWaits waits, WaitRecords records) {
        this.batch = batch;
        this.job = job;
        this.waits = waits;
        this.records = records;
    }

    /** What an earlier run has recorded of the next failure of that step; null: nothing. */
    public @Nullable Exception recorded(String name) {
        int nth = counts.getOrDefault(name, 0) + 1;
        WaitRecord record = records.find(new WaitRecord.Key(Type.THROWN, name, nth));
        WaitRecord.Thrown thrown = record == null ? null : record.thrown();
        if (thrown == null) return null;
        counts.put(name, nth);
        waits.asked(Type.THROWN, name, nth);
        return made(name, thrown);
    }

    /** A step has thrown in this run. */
    public void threw(String name, Exception e) {
        int nth = counts.merge(name, 1, Integer::sum);
        waits.asked(Type.THROWN, name, nth);
        String message = e.getMessage();
        if (message != null)
            message = ErrorText.storable(message.substring(0, Math.min(message.length(), LONGEST_MESSAGE))
                    .replace('\0', ' '));
        WaitRecord.Key key = new WaitRecord.Key(Type.THROWN, name, nth);
        pending.add(new WaitRecord(
                0,
                key,
                null,
                true,
                0,
                null,
                0,
                null,
                null,
                0,
                new WaitRecord.Thrown(e.getClass().getName(), message),
                false));
    }

    public boolean isEmpty() {
        return pending.isEmpty();
    }

    /** Records what the handler has caught; they are written when that is committed, which {@link #written} says in a transaction. */
    public void write(Connection connection) throws SQLException {
        FailedSteps failed = new FailedSteps(
                batch.node(),
                batch.token(),
                job.id(),
                job.kind(),
                records.last() + 1,
                pending.stream().map(each -> each.key().name()).toArray(String[]::new),
                pending.stream().map(each -> each.key().nth()).toArray(Integer[]::new),
                pending.stream().map(each -> thrown(each).type()).toArray(String[]::new),
                pending.stream().map(each -> thrown(each).message()).toArray(String[]::new));
        for (int look = 0; look < WaitRecords.LOOKS; look++)
            try (PreparedStatement statement = WRITE.prepare(connection, failed);
                    ResultSet row = statement.executeQuery()) {
                if (!row.next()) continue;
                recorded = pending.size();
                if (connection.getAutoCommit()) written();
                return;
            }
        throw new JobsException("the failure of step \"" + failed.names()[0] + "\" of job " + job.id()
                + " is not recorded: the node does not have the job any more, and another run may have begun");
    }

    /** The transaction in which they were recorded is committed. */
    public void written() {
        if (recorded == 0) return;
        records.written(recorded);
        pending.subList(0, recorded).clear();
        recorded = 0;
    }

    private static WaitRecord.Thrown thrown(WaitRecord record) {
        WaitRecord.Thrown thrown = record.thrown();
        if (thrown == null) throw new IllegalStateException("no failure: " + record);
        return thrown;
    }

    /** An exception of the same class, where that can be made from a message. */
    private Exception made(String name, WaitRecord.Thrown thrown) {
        try {
            Class<?> type =
                    Class.forName(thrown.type(), true, Thread.currentThread().getContextClassLoader());
            Constructor<?> constructor = type.getConstructor(String.class);
            if (constructor.newInstance(thrown.message()) instanceof Exception made) return made;
        } catch (ReflectiveOperationException | LinkageError e) {
            // A program of another version may not have it.
        }
        return new FailedStepException(name, thrown.type(), thrown.message());
    }
}
