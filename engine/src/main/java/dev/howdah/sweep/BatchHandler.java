package dev.howdah.sweep;

import java.util.List;

/** Processes a batch of rows. Called by several threads at the same time. */
@FunctionalInterface
public interface BatchHandler {
    /**
     * Processes the rows. When it returns all of them are marked; when it throws, all of them have failed.
     *
     * @param rows at least one
     */
    void handle(List<SweepRow> rows) throws Exception;
}
