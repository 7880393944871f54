package dev.howdah.sweep;

/** Processes a row. Called by several threads at the same time. */
@FunctionalInterface
public interface RowHandler {
    /**
     * Processes the row. When it returns the row is marked; when it throws, the row has failed, and is skipped for a
     * while. A row may come again after this has returned, if the program crashes before the row is marked.
     */
    void handle(SweepRow row) throws Exception;
}
