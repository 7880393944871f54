package dev.howdah.job.internal.wait;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.TransactionSession;
import dev.howdah.internal.error.SqlErrorText;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.job.Job;
import dev.howdah.job.JobsException;
import dev.howdah.job.NewJob;
import dev.howdah.job.internal.attempt.OpenWait;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.insert.JobInserter;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.wait.ParentEnd;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Adds the children of a job, together with their records: both are there, or none is. */
final class ChildAdder {
    private static final Sql BEGIN = JobSql.WAIT.statement("child_begin");
    private static final Sql LINK = JobSql.WAIT.statement("child_link", ChildLink.class);
    /** A batch is split while its other jobs end: the statement then looks for the job in the new one. */
    private static final int LOOKS = 3;

    private final ConnectionSource source;
    private final ClaimedBatch batch;
    private final Job job;
    private final JobInserter inserter;

    ChildAdder(ConnectionSource source, ClaimedBatch batch, Job job, JobInserter inserter) {
        this.source = source;
        this.batch = batch;
        this.job = job;
        this.inserter = inserter;
    }

    /**
     * Adds them in one transaction.
     *
     * @param first the number of the first record
     */
    List<WaitRecord> add(String name, List<? extends NewJob<?>> jobs, ParentEnd parentEnd, int first) {
        List<Long> ids;
        try (TransactionSession session = source.statementSession()) {
            Connection connection = session.connection();
            ids = Transactions.in(connection, () -> {
                begin(connection, name, first + jobs.size() - 1, parentEnd);
                List<Long> added = inserter.addAll(connection, jobs);
                link(connection, name, jobs, added, parentEnd, first);
                return added;
            });
        } catch (SQLException e) {
            throw new JobsException(text(name, " is not added: " + SqlErrorText.of(e)), e);
        }
        if (parentEnd == ParentEnd.CANCEL_ALWAYS) batch.hasAddedChildren(batch.indexOf(job.id()));
        List<WaitRecord> records = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++)
            records.add(new WaitRecord(
                    first + i,
                    new WaitRecord.Key(OpenWait.Type.CHILD, name, i + 1),
                    null,
                    false,
                    0,
                    null,
                    ids.get(i),
                    jobs.get(i).kind().name(),
                    null,
                    0,
                    null,
                    parentEnd == ParentEnd.LEAVE));
        return records;
    }

    private void begin(Connection connection, String name, int last, ParentEnd parentEnd) throws SQLException {
        for (int look = 0; look < LOOKS; look++)
            try (PreparedStatement statement = BEGIN.prepare(
                            connection,
                            batch.node(),
                            batch.token(),
                            job.id(),
                            last,
                            parentEnd == ParentEnd.CANCEL_ALWAYS);
                    ResultSet row = statement.executeQuery()) {
                if (row.next()) return;
            }
        throw new JobsException(
                text(name, " is not added: the node does not have the job any more, and another run may have begun"));
    }

    private void link(
            Connection connection,
            String name,
            List<? extends NewJob<?>> jobs,
            List<Long> added,
            ParentEnd parentEnd,
            int first)
            throws SQLException {
        int linked = 0;
        try (PreparedStatement statement = LINK.prepare(
                        connection,
                        new ChildLink(
                                batch.node(),
                                job.id(),
                                job.kind(),
                                first,
                                name,
                                added.toArray(Long[]::new),
                                jobs.stream().map(each -> each.kind().name()).toArray(String[]::new),
                                parentEnd == ParentEnd.CANCEL
                                        ? null
                                        : parentEnd.name().toLowerCase(Locale.ROOT)));
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                linked++;
                Long blocker = row.getObject("blocker", Long.class);
                if (blocker != null) throw new IllegalArgumentException(blocked(name, row, blocker));
            }
        }
        if (linked < added.size())
            throw new IllegalArgumentException(
                    text(name, " would be an entry of a log queue, whose end is told to no job"));
    }

    private String blocked(String name, ResultSet row, Long blocker) throws SQLException {
        return text(
                name,
                " would wait for job " + blocker + ", which waits for it: both have the order key \""
                        + row.getString("key") + "\" of queue " + row.getString("queue"));
    }

    private String text(String name, @Nullable String what) {
        return "child \"" + name + "\" of job " + job.id() + what;
    }
}
