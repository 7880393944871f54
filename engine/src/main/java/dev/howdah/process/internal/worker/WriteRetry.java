package dev.howdah.process.internal.worker;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.process.internal.store.ProcessSqlErrors;
import java.sql.SQLException;
import java.util.List;

/**
 * Handles errors of writing several items in one statement: writes all of them again while the database cannot be reached; each by itself where
 * the database refuses one of them, so that the others do not fail with it.
 */
final class WriteRetry<T> {
    /** A write on a connection. */
    interface Target<T> {
        /** Returns whether nothing is to be written any more, as the node has stopped. */
        boolean isOver();

        /** Writes all of the items or none. An item that was written before, without the answer having arrived, is left out. */
        void write(List<T> items) throws SQLException;

        /** The last write has succeeded. */
        void worked();

        /** A write has failed, possibly after its commit, and will be tried again; waits before that. */
        void failed(SQLException error) throws InterruptedException;

        /** The state of the session is unknown. */
        void closeSession();

        /** The database does not take the item; returns whether the item is to be written once more, with that as its result. */
        boolean refuse(T item, String reason);
    }

    private final Target<T> target;

    WriteRetry(Target<T> target) {
        this.target = target;
    }

    void write(List<T> items) throws InterruptedException {
        while (!target.isOver()) {
            try {
                target.write(items);
                target.worked();
                return;
            } catch (SQLException e) {
                if (!ProcessSqlErrors.isPassing(e)) {
                    writeEach(items, ProcessSqlErrors.clear(e));
                    return;
                }
                target.failed(e);
            } catch (RuntimeException | Error e) {
                // Items that are too large to be sent must not end this thread.
                target.closeSession();
                writeEach(items, ErrorText.line(e));
                return;
            }
        }
    }

    private void writeEach(List<T> items, String reason) throws InterruptedException {
        if (items.size() > 1) {
            for (T item : items) write(List.of(item));
            return;
        }
        if (target.refuse(items.get(0), reason)) write(items);
    }
}
