package dev.howdah.job.internal.await;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.error.SqlErrorText;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.JobsException;
import dev.howdah.job.internal.store.JobFinder;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.query.JobSummary;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Waits for the end of jobs, for callers. Safe for use by many threads. */
public final class JobAwaiter implements AutoCloseable {
    private static final Sql NOTE = JobSql.AWAIT.statement("job_await_add");
    private static final SecureRandom RANDOM = new SecureRandom();

    private final ConnectionSource source;
    private final ConnectionSource sessions;
    private final int least;
    private final JobFinder finder;
    private final long waiter = RANDOM.nextLong();
    private final AwaitedJobs awaited = new AwaitedJobs();
    private final EndListener listener;

    /**
     * @param sessions where the session comes from that listens
     * @param least how many connections a pool of sessions needs, that one included
     */
    public JobAwaiter(ConnectionSource source, ConnectionSource sessions, int least) {
        this.sessions = sessions;
        this.least = least;
        this.source = source;
        this.finder = new JobFinder(source);
        this.listener = new EndListener(sessions, awaited, waiter);
    }

    /**
     * Asks the database whether the job has ended, and has the future completed when it ends.
     *
     * @throws JobsException if the database cannot be asked
     */
    public CompletableFuture<JobSummary> await(long id) {
        Optional<JobSummary> found = finder.find(id);
        if (found.isEmpty()) return CompletableFuture.failedFuture(AwaitedJobs.missing(id));
        if (EndListener.isEnd(found.get().state())) return CompletableFuture.completedFuture(found.get());
        int size = sessions.poolSize();
        if (size >= 0 && size < least)
            throw new JobsException("the pool has at most " + size + " connections and at least " + least
                    + " are needed to wait for jobs, since one more is kept meanwhile: make the pool larger, or give"
                    + " JobsBuilder.sessionDataSource a data source without a pool");
        CompletableFuture<JobSummary> future = awaited.add(id);
        try {
            listener.listen();
            note(id);
            awaited.noted(id);
            lookAgain(id);
            return future;
        } catch (SQLException e) {
            future.cancel(false);
            throw new JobsException("job " + id + " cannot be waited for: " + SqlErrorText.of(e), e);
        } catch (InterruptedException e) {
            future.cancel(false);
            Thread.currentThread().interrupt();
            throw new JobsException("interrupted while beginning to wait for job " + id, e);
        } catch (RuntimeException e) {
            future.cancel(false);
            throw e;
        }
    }

    private void note(long id) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = NOTE.prepare(connection, new Long[] {id}, waiter)) {
            statement.execute();
        }
    }

    /** It may have ended before its note was written. */
    private void lookAgain(long id) {
        Optional<JobSummary> found = finder.find(id);
        if (found.isEmpty()) awaited.isMissing(id);
        else if (EndListener.isEnd(found.get().state())) awaited.ended(found.get());
    }

    /** What is still waited for fails. */
    @Override
    public void close() {
        listener.close();
        awaited.failAll("jobs were closed before the job ended");
    }
}
