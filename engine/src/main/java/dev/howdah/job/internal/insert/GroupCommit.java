package dev.howdah.job.internal.insert;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.job.internal.store.JobSession;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Callers that add a job each at the same time share one transaction: while one commits the others gather, and one of them
 * writes for all. Each returns when its job is durable. Safe for use by many threads.
 */
public final class GroupCommit implements AutoCloseable {
    /** So many write at a time: callers that commit together share what waiting for the disk costs. */
    public static final int WRITERS = 4;

    /** Among many callers this many: more would only share the same jobs among more statements. */
    private static final int WRITERS_OF_MANY = 2;

    private static final int MANY = 16;

    private static final int MOST = 1_000;

    /** A caller whose job is to be written, and which may be asked to write the jobs of all callers. */
    private static final class Caller {
        private final InsertRow insertRow;
        private final Thread thread = Thread.currentThread();
        private long id;
        private @Nullable SQLException failure;
        private volatile boolean done;
        private volatile boolean writes;

        Caller(InsertRow insertRow) {
            this.insertRow = insertRow;
        }
    }

    private final ConnectionSource source;
    private final InsertStatements adder;
    private final int most;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Caller> gathered = new ArrayList<>();
    private final List<JobSession> spare = new ArrayList<>();
    private final AtomicInteger callers = new AtomicInteger();
    private int writers;
    private boolean closed;

    /** @param most so many sessions are kept at most */
    GroupCommit(ConnectionSource source, InsertStatements adder, int most) {
        this.source = source;
        this.adder = adder;
        this.most = most;
    }

    /** Adds a job; returns its number when that is durable. Being interrupted changes nothing. */
    long add(InsertRow insertRow) throws SQLException {
        callers.incrementAndGet();
        try {
            return gather(insertRow);
        } finally {
            callers.decrementAndGet();
        }
    }

    private long gather(InsertRow insertRow) throws SQLException {
        Caller me = new Caller(insertRow);
        lock.lock();
        try {
            gathered.add(me);
            me.writes = writers < mostWriters();
            if (me.writes) writers++;
        } finally {
            lock.unlock();
        }
        boolean interrupted = false;
        while (true) {
            if (me.writes) {
                List<Caller> group = me.done ? List.of() : group();
                write(group);
                // The next one writes while these are woken.
                handOver(me);
                for (Caller each : group) if (each != me) LockSupport.unpark(each.thread);
            } else if (me.done) {
                break;
            } else {
                LockSupport.park(this);
                interrupted |= Thread.interrupted();
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
        SQLException failure = me.failure;
        if (failure != null) throw new SQLException(failure.getMessage(), failure.getSQLState(), failure);
        return me.id;
    }

    private int mostWriters() {
        return Math.min(most, callers.get() > MANY ? WRITERS_OF_MANY : WRITERS);
    }

    private List<Caller> group() {
        lock.lock();
        try {
            int size = Math.min(gathered.size(), MOST);
            List<Caller> group = new ArrayList<>(gathered.subList(0, size));
            gathered.subList(0, size).clear();
            return group;
        } finally {
            lock.unlock();
        }
    }

    /** Another caller writes next, if one waits. */
    private void handOver(Caller me) {
        lock.lock();
        try {
            me.writes = false;
            if (gathered.isEmpty() || writers > mostWriters()) {
                writers--;
                return;
            }
            Caller next = gathered.get(0);
            if (next.writes) {
                writers--;
                return;
            }
            next.writes = true;
            LockSupport.unpark(next.thread);
        } finally {
            lock.unlock();
        }
    }

    private void write(List<Caller> group) {
        if (group.isEmpty()) return;
        SQLException failed = null;
        try {
            List<Long> ids = insert(group.stream().map(each -> each.insertRow).toList());
            for (int i = 0; i < group.size(); i++) group.get(i).id = ids.get(i);
        } catch (SQLException e) {
            failed = e;
        } catch (RuntimeException | Error e) {
            // All of them wait for an answer.
            failed = new SQLException("not added: " + e, e);
        }
        // One bad payload shall not fail the others.
        if (failed != null && group.size() > 1 && !SqlErrors.isConnectionLost(failed)) group.forEach(this::alone);
        else if (failed != null) for (Caller each : group) each.failure = failed;
        for (Caller each : group) each.done = true;
    }

    private void alone(Caller each) {
        try {
            each.id = insert(List.of(each.insertRow)).get(0);
        } catch (SQLException e) {
            each.failure = e;
        }
    }

    private List<Long> insert(List<InsertRow> insertRows) throws SQLException {
        JobSession session = take();
        try {
            List<Long> ids = insertRows.size() == 1
                    ? List.of(adder.add(session, insertRows.get(0)))
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
        if (insertRows.stream().noneMatch(InsertRow::isLarge)) return adder.addAll(session, InsertBatch.of(insertRows));
        return Transactions.in(session.connection(), () -> adder.addAll(session, InsertBatch.of(insertRows)));
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
