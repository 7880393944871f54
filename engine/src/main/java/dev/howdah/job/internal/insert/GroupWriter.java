package dev.howdah.job.internal.insert;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.job.internal.store.JobSession;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes jobs of many callers in one transaction, in kept sessions. A job that the database refuses fails alone. Safe for use by many
 * threads.
 */
final class GroupWriter implements AutoCloseable {
    private final ConnectionSource source;
    private final InsertStatements insertStatements;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<JobSession> spare = new ArrayList<>();
    private boolean closed;

    GroupWriter(ConnectionSource source, InsertStatements insertStatements) {
        this.source = source;
        this.insertStatements = insertStatements;
    }

    /** Writes them in their order; afterwards each has its id or a failure. Throws nothing. */
    void write(List<? extends PendingInsert> group) {
        if (group.isEmpty()) return;
        SQLException failed;
        try {
            List<Long> ids = insert(group.stream().map(PendingInsert::row).toList());
            for (int i = 0; i < group.size(); i++) group.get(i).added(ids.get(i));
            return;
        } catch (SQLException e) {
            failed = e;
        } catch (RuntimeException | Error e) {
            // All of them wait for an answer.
            failed = new SQLException("not added: " + e, e);
        }
        // One bad payload shall not fail the others: it is found by halves.
        if (group.size() > 1 && !SqlErrors.isConnectionLost(failed)) {
            int half = group.size() / 2;
            write(group.subList(0, half));
            write(group.subList(half, group.size()));
        } else {
            for (PendingInsert each : group) each.failed(failed);
        }
    }

    private List<Long> insert(List<InsertRow> insertRows) throws SQLException {
        JobSession session = take();
        try {
            List<Long> ids = insertRows.size() == 1
                    ? List.of(insertStatements.add(session, insertRows.get(0)))
                    : inTransaction(session, insertRows);
            giveBack(session);
            return ids;
        } catch (SQLException e) {
            if (SqlErrors.isConnectionLost(e)) session.close();
            else giveBack(session);
            throw e;
        } catch (RuntimeException | Error e) {
            session.close();
            throw e;
        }
    }

    private List<Long> inTransaction(JobSession session, List<InsertRow> insertRows) throws SQLException {
        if (insertRows.stream().noneMatch(InsertRow::isLarge))
            return insertStatements.addAll(session, InsertBatch.of(insertRows));
        return Transactions.in(
                session.connection(), () -> insertStatements.addAll(session, InsertBatch.of(insertRows)));
    }

    private JobSession take() throws SQLException {
        lock.lock();
        try {
            if (closed) throw new SQLException("closed: nothing can be added any more", "08003");
            if (!spare.isEmpty()) return spare.remove(spare.size() - 1);
        } finally {
            lock.unlock();
        }
        return JobSession.open(source);
    }

    private void giveBack(JobSession session) {
        lock.lock();
        try {
            if (!closed) {
                spare.add(session);
                return;
            }
        } finally {
            lock.unlock();
        }
        session.close();
    }

    /** Ends its sessions. */
    @Override
    public void close() {
        List<JobSession> open;
        lock.lock();
        try {
            closed = true;
            open = new ArrayList<>(spare);
            spare.clear();
        } finally {
            lock.unlock();
        }
        open.forEach(JobSession::close);
    }
}
