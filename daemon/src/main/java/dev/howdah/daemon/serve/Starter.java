package dev.howdah.daemon.serve;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.internal.run.Threads;
import dev.howdah.job.JobsException;
import dev.howdah.process.ProcessException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Begins something as soon as the database lets it; tries for ever until then, in the background. Safe for use by many threads. */
final class Starter implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Starter.class);
    private static final Duration FIRST_RETRY = Duration.ofMillis(100);
    private static final Duration LAST_RETRY = Duration.ofSeconds(5);

    /** A service that is started. */
    @FunctionalInterface
    interface Beginning {
        void begin() throws SQLException;
    }

    private final String what;
    private final Beginning beginning;
    private final CountDownLatch closing = new CountDownLatch(1);
    private volatile @Nullable String obstacle;

    /** @param what is worked then, for the log */
    Starter(String what, Beginning beginning) {
        this.what = what;
        this.beginning = beginning;
    }

    /**
     * Returns why it does not run, although it was started; null: it runs, or is not to.
     *
     * @param later why what has begun does not go on; null: it does
     */
    @Nullable
    String obstacle(@Nullable String later) {
        String before = obstacle;
        return before != null || later == null ? before : notNow(later);
    }

    private String notNow(String reason) {
        return what + " do not run now: " + reason;
    }

    void start() {
        obstacle = what + ": starting";
        Threads.loop("howdah-starter", this::run).start();
    }

    private void run() {
        Duration retry = FIRST_RETRY;
        String complaint = "";
        try {
            while (!isClosing()) {
                try {
                    beginning.begin();
                    obstacle = null;
                    return;
                } catch (SQLException | JobsException | ProcessException | CliException e) {
                    String reason =
                            e instanceof SQLException sql ? SqlFailure.line(sql) : String.valueOf(e.getMessage());
                    if (!reason.equals(complaint)) log.warn("{} do not run now: {}; trying again", what, reason);
                    complaint = reason;
                    obstacle = notNow(reason);
                } catch (RuntimeException | Error e) {
                    Threads.survived(e);
                    log.error("{} do not run after an internal error; trying again", what, e);
                    obstacle = what + " do not run after an internal error";
                }
                if (closing.await(retry.toMillis(), TimeUnit.MILLISECONDS)) return;
                retry = retry.multipliedBy(2).compareTo(LAST_RETRY) > 0 ? LAST_RETRY : retry.multipliedBy(2);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns whether nothing is to begin any more. */
    boolean isClosing() {
        return closing.getCount() == 0;
    }

    /** Gives up what has not begun. */
    @Override
    public void close() {
        closing.countDown();
    }
}
