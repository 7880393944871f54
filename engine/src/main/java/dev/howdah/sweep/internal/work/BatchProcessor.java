package dev.howdah.sweep.internal.work;

import dev.howdah.sweep.internal.store.RowKey;
import java.sql.SQLException;
import java.util.List;

/** What a worker does with the keys it got. */
public interface BatchProcessor {
    /**
     * What came of it.
     *
     * @param done how many rows are done or have failed
     * @param missed what is to be offered again
     */
    record Result(long done, List<RowKey> missed) {}

    /** Whether all of a batch is one statement, or one call: then batches begin large. */
    boolean isWhole();

    /**
     * Locks rows, looks at them again, works, marks, lets go.
     *
     * @throws SQLException if that could not be done at all; what was done is marked, nothing else is
     */
    Result run(LockingSession session, List<RowKey> keys, WorkerContext context)
            throws SQLException, InterruptedException;
}
