package dev.howdah.job;

/** The result of cancelling a job. */
public enum CancelResult {
    /** It waited, and will not run. */
    CANCELLED,
    /**
     * It runs, or is about to: its node has been notified and interrupts it. It may be done all the same. Or it waits in its handler, which is told by an
     * exception first.
     */
    ASKED,
    /** It has ended. */
    ENDED,
    /** It is an entry of a log queue that no node has claimed yet: such entries cannot be cancelled. */
    UNCLAIMED_ENTRY,
    /** There is no job with that id, or its history has been removed. */
    NOT_FOUND
}
