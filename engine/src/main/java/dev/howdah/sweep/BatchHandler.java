package dev.howdah.sweep;

import java.util.List;

/** What is done to a batch of rows. Called by several threads at the same time. */
@FunctionalInterface
public interface BatchHandler {
    /**
     * Does it. When this returns all of the rows are marked; when it throws, all of them have failed.
     *
     * @param rows at least one
     */
    void handle(List<SweepRow> rows) throws Exception;
}
