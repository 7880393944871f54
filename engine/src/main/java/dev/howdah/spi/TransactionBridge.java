package dev.howdah.spi;

import java.sql.Connection;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A bridge to a framework that binds transactions to threads, such as Spring. Jobs that are added without a connection join the
 * transaction of the calling thread; handlers in the job's own transaction run in one that the framework has begun, so that all that works in
 * the framework's transactions works in the job's. Has to be safe for use by many threads.
 */
public interface TransactionBridge {
    /** What is done in a transaction. */
    @FunctionalInterface
    interface Work<T extends @Nullable Object> {
        /**
         * @param connection of the transaction, not in autocommit mode; it is neither committed, rolled back nor closed
         */
        T run(Connection connection) throws Exception;
    }

    /** Returns whether the calling thread is in a transaction that jobs are to join. */
    boolean isActive();

    /**
     * Does work in the transaction that the calling thread is in. Only called after {@link #isActive} has returned true in this thread.
     *
     * @throws Exception what {@code work} throws, or if there is no connection
     */
    <T extends @Nullable Object> T join(Work<T> work) throws Exception;

    /**
     * Calls {@code work} when the transaction that the calling thread is in has committed, and not if it is rolled back: jobs
     * that were added in it are counted then. A bridge that cannot know calls it at once, as this method does.
     */
    default void afterCommit(Runnable work) {
        work.run();
    }

    /**
     * Does work in a new transaction, which commits when {@code work} returns, and rolls back when it throws.
     *
     * @throws Exception what {@code work} throws, or why the transaction could not be begun or committed. Nothing is thrown once it has committed
     */
    <T extends @Nullable Object> T begin(Work<T> work) throws Exception;

    /**
     * As {@link #begin(Work)}, for work that is given up after a time. A framework with a time limit of its own for transactions sets one that is
     * no shorter, so that a handler may take as long as its kind says; other bridges need not know.
     *
     * @param limit of the work; zero: it may take any time
     */
    default <T extends @Nullable Object> T begin(Duration limit, Work<T> work) throws Exception {
        return begin(work);
    }
}
