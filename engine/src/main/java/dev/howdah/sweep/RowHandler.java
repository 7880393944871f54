package dev.howdah.sweep;

/** What is done to a row. Called by several threads at the same time. */
@FunctionalInterface
public interface RowHandler {
    /**
     * Does it. When this returns the row is marked; when it throws, the row has failed, and is skipped for a while. A row may come
     * again although this has returned, if the process dies before the row is marked.
     */
    void handle(SweepRow row) throws Exception;
}
