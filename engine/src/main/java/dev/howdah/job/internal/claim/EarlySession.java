package dev.howdah.job.internal.claim;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.run.Threads;
import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.store.JobSession;
import java.sql.SQLException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session of the first claimer, which is opened and has planned the first claim while the node is still entered into the tables: the first
 * job begins that much earlier.
 */
public final class EarlySession implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EarlySession.class);

    private final FutureTask<JobSession> opening;
    private boolean given;
    private boolean closed;

    private EarlySession(ConnectionSource source) {
        this.opening = new FutureTask<>(() -> {
            JobSession opened = JobSession.open(source);
            try {
                BatchStore.planClaim(opened);
                return opened;
            } catch (SQLException | RuntimeException e) {
                opened.close();
                throw e;
            }
        });
    }

    /** Begins to open a session, in a thread of its own. */
    public static EarlySession of(ConnectionSource source) {
        EarlySession session = new EarlySession(source);
        Threads.daemon("howdah-job-session", () -> {
                    session.opening.run();
                    session.closeUnused();
                })
                .start();
        return session;
    }

    /** Gives it, once; null: it could not be opened, or was given. */
    @Nullable
    JobSession take() throws InterruptedException {
        try {
            JobSession opened = opening.get();
            synchronized (this) {
                if (given || closed) return null;
                given = true;
                return opened;
            }
        } catch (ExecutionException e) {
            log.debug("the first session of a node is opened later: {}", ErrorText.line(e));
            return null;
        }
    }

    /** It is not needed, unless it was given. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        if (opening.isDone()) closeUnused();
    }

    private synchronized void closeUnused() {
        if (!closed || given) return;
        given = true;
        try {
            opening.get().close();
        } catch (ExecutionException e) {
            // There is none.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
