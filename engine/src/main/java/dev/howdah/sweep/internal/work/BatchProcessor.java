package dev.howdah.sweep.internal.work;

import dev.howdah.sweep.internal.store.RowKey;
import java.sql.SQLException;
import java.util.List;

/** The processing of a batch of keys by a worker. */
public interface BatchProcessor {
    /**
     * The result of a batch.
     *
     * @param done how many rows are done or have failed
     * @param missed what is to be offered again
     */
    record Result(long done, List<RowKey> missed) {}

    /** Returns whether all of a batch is one statement, or one call: then batches begin large. */
    boolean isWhole();

    /**
     * Locks rows, looks at them again, works, marks, lets go.
     *
     * @throws SQLException if that could not be done at all; what was done is marked, nothing else is
     */
    Result run(LockingSession session, List<RowKey> keys, WorkerContext context)
            throws SQLException, InterruptedException;
}
