package dev.howdah.sweep;

import java.util.List;

/** Processes a batch of rows, and tells the result of each. Called by several threads at the same time. */
@FunctionalInterface
public interface BatchResultHandler {
    /**
     * Processes the rows. Those without a result are done when it returns; when it throws, they have failed.
     *
     * @param rows at least one
     * @param results told of each row
     */
    void handle(List<SweepRow> rows, BatchResults results) throws Exception;
}
