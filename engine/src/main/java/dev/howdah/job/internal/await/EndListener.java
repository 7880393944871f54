package dev.howdah.job.internal.await;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.node.NodePresence;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.store.JobFinder;
import dev.howdah.job.internal.store.JobRows;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for the end of jobs, in a session and a thread of its own, while jobs are waited for and {@link #IDLE_NANOS} longer. Safe for use by
 * many threads.
 */
final class EndListener implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EndListener.class);
    private static final Sql NOTE = JobSql.AWAIT.statement("job_await_add");
    private static final Sql OVER = JobSql.AWAIT.statement("job_await_remove");
    private static final String CHANNEL = "howdah_job_ended";
    private static final Set<JobState> ENDS = EnumSet.of(JobState.DONE, JobState.FAILED, JobState.CANCELLED);

    private static final int SILENCE_MILLIS = 10_000;
    private static final int LISTEN_MILLIS = 250;
    private static final long RETRY_MILLIS = 500;
    private static final long OPEN_SECONDS = 60;
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** A sign of life, well within the silence that ends the session. */
    private static final long BEAT_NANOS = TimeUnit.SECONDS.toNanos(4);
    /** Notes are written anew, well before they run out, and all jobs are looked at. */
    private static final long RENEW_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final ConnectionSource source;
    private final AwaitedJobs awaited;
    private final long waiter;
    private final CountDownLatch closed = new CountDownLatch(1);
    /** Null: no thread runs. Completes when its session listens. */
    private @Nullable CompletableFuture<Void> listening;

    EndListener(ConnectionSource source, AwaitedJobs awaited, long waiter) {
        this.source = source;
        this.awaited = awaited;
        this.waiter = waiter;
    }

    static boolean isEnd(JobState state) {
        return ENDS.contains(state);
    }

    /** Listens when this returns, and until no job is waited for. */
    void listen() throws SQLException, InterruptedException {
        try {
            started().get(OPEN_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SQLException failure) throw failure;
            throw new SQLException("the session that listens failed: " + e.getCause(), "08006", e);
        } catch (TimeoutException e) {
            throw new SQLException("the session that listens was not opened within " + OPEN_SECONDS + " s", "08001", e);
        }
    }

    private synchronized CompletableFuture<Void> started() throws SQLException {
        if (closed.getCount() == 0) throw new SQLException("jobs are closed", "08003");
        CompletableFuture<Void> current = listening;
        if (current == null) {
            CompletableFuture<Void> begun = new CompletableFuture<>();
            listening = begun;
            Threads.daemon("howdah-job-await", () -> run(begun)).start();
            return begun;
        }
        return current;
    }

    /** The thread ends, unless a job is waited for that must not be forgotten. */
    private synchronized boolean isOver() {
        if (closed.getCount() > 0 && !awaited.isEmpty()) return false;
        listening = null;
        return true;
    }

    private void run(CompletableFuture<Void> begun) {
        do {
            try (DedicatedSession session = open()) {
                begun.complete(null);
                stay(session);
            } catch (SQLException | RuntimeException | Error e) {
                Threads.survived(e);
                if (closed.getCount() > 0 && begun.isDone())
                    log.warn("the session that listens for the end of jobs was lost: {}", e.getMessage());
                if (begun.completeExceptionally(e) && isOver()) return;
                pause();
            }
        } while (!isOver());
    }

    private DedicatedSession open() throws SQLException {
        DedicatedSession opened = new DedicatedSession(source.forListening().getConnection());
        try (Statement statement = opened.connection().createStatement()) {
            opened.endWhenSilent(SILENCE_MILLIS);
            opened.searchOwnSchemaOnly();
            statement.execute("LISTEN " + CHANNEL);
            return opened;
        } catch (SQLException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    /** Returns when no job has been waited for during some seconds. */
    private void stay(DedicatedSession session) throws SQLException {
        PGConnection notified = session.connection().unwrap(PGConnection.class);
        long renewed = System.nanoTime() - RENEW_NANOS;
        long beaten = System.nanoTime();
        long busy = System.nanoTime();
        while (closed.getCount() > 0) {
            long now = System.nanoTime();
            if (!awaited.isEmpty()) busy = now;
            if (now - busy > IDLE_NANOS) return;
            if (now - renewed >= RENEW_NANOS) {
                renew(session);
                renewed = now;
                beaten = now;
            } else if (now - beaten >= BEAT_NANOS) {
                note(session, Set.of());
                beaten = now;
            }
            look(session, awaited.due(heard(notified.getNotifications(LISTEN_MILLIS))));
        }
    }

    private void renew(DedicatedSession session) throws SQLException {
        Set<Long> all = awaited.all();
        note(session, all);
        look(session, all);
    }

    private void note(DedicatedSession session, Set<Long> jobs) throws SQLException {
        session.update(NOTE, jobs.toArray(Long[]::new), waiter);
    }

    private static Set<Long> heard(PGNotification @Nullable [] notifications) {
        Set<Long> jobs = new HashSet<>();
        if (notifications != null)
            for (PGNotification each : notifications) NodePresence.addNumber(each.getParameter(), jobs);
        return jobs;
    }

    private void look(DedicatedSession session, Set<Long> jobs) throws SQLException {
        if (jobs.isEmpty()) return;
        Set<Long> missing = new HashSet<>(jobs);
        List<JobSummary> ended = new ArrayList<>();
        try (ResultSet row = session.query(JobFinder.FIND, (Object) jobs.toArray(Long[]::new))) {
            while (row.next()) {
                JobSummary job = JobRows.summary(row);
                missing.remove(job.id());
                if (isEnd(job.state())) ended.add(job);
            }
        }
        Set<Long> over = new HashSet<>(missing);
        ended.forEach(job -> over.add(job.id()));
        if (!over.isEmpty()) session.update(OVER, over.toArray(Long[]::new), waiter);
        ended.forEach(awaited::ended);
        missing.forEach(awaited::isMissing);
    }

    private void pause() {
        try {
            if (closed.await(RETRY_MILLIS, TimeUnit.MILLISECONDS)) return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
