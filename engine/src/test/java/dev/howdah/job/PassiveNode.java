package dev.howdah.job;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.batch.BatchMetrics;
import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.batch.ScanBounds;
import dev.howdah.job.internal.lane.Lane;
import dev.howdah.job.internal.store.JobMetrics;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.spi.Metrics;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node that is a row and a session: it has no threads, and does only what a test asks of it, with the statements of nodes. So
 * what happens between two of them is in the hands of the test.
 */
final class PassiveNode implements AutoCloseable {
    private static final Sql BEGIN = JobSql.JOB.statement("batch_begin");
    private static final Sql GIVE_BACK = JobSql.JOB.statement("batch_give_back");
    private static final Sql UNPACK = JobSql.LOG.statement("log_unpack_all");
    private static final int MOST = 100;

    private final JobsDatabase database;
    private final JobSession session;
    private final int id;
    private final BatchStore store;

    /** Of the feature of jobs. */
    PassiveNode(JobsDatabase database) throws SQLException {
        this(database, Metrics.none());
    }

    PassiveNode(JobsDatabase database, Metrics metrics) throws SQLException {
        this.database = database;
        session = JobSession.open(ConnectionSource.of(database.source()));
        id = (int) database.number(
                "INSERT INTO howdah_internal.node (name, features) VALUES ('passive', '{job}') RETURNING id");
        store = new BatchStore(session, id, new String[0], new BatchMetrics(new JobMetrics(metrics)), lane -> false);
    }

    int id() {
        return id;
    }

    JobSession session() {
        return session;
    }

    BatchStore store() {
        return store;
    }

    /** The same where each job of that kind needs a batch of its own. */
    BatchStore storeOf(String alone) {
        return new BatchStore(session, id, new String[] {alone});
    }

    /** The lane of a queue, with the jobs of all kinds. */
    Lane lane(String queue) {
        return new Lane(
                (int) database.number("SELECT l.id FROM howdah_internal.lane l WHERE l.queue = '" + queue
                        + "' AND l.kind IS NULL AND l.home IS NULL"),
                queue,
                null);
    }

    /** Claims what is due in the queue {@code default}. */
    List<ClaimedBatch> claim() throws SQLException {
        return claim(ScanBounds.NONE);
    }

    List<ClaimedBatch> claim(ScanBounds from) throws SQLException {
        return store.claim(List.of(), lane("default"), MOST, from).batches();
    }

    /** Says that the job of a batch begins with which nodes have crashed. */
    void begin(ClaimedBatch batch) throws SQLException {
        session.update(BEGIN, id, batch.batch(), batch.token());
    }

    /** The node has crashed, and the other one gives back what it had claimed. Returns whether there was something to give back. */
    boolean recoverBy(PassiveNode other) throws SQLException {
        other.session.update(UNPACK, id, MOST);
        try (ResultSet row = other.session.query(GIVE_BACK, id, MOST, null, null, true)) {
            long batches = 0;
            while (row.next()) batches = row.getLong(3);
            return batches > 0;
        }
    }

    /** Gives back what the node has claimed; the attempts are not counted. */
    void giveBack(ClaimedBatch batch) throws SQLException {
        session.update(GIVE_BACK, id, MOST, new Long[] {batch.batch()}, new Long[] {batch.token()}, false);
    }

    /** The answer of a statement of nodes, its first row and column; null: none. */
    @Nullable
    String ask(Sql sql, @Nullable Object... values) throws SQLException {
        try (ResultSet row = session.query(sql, values)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    @Override
    public void close() {
        session.close();
    }
}
