package dev.howdah.job;

/** The result of cancelling a job. */
public enum CancelResult {
    /** It waited, and will not run. */
    CANCELLED,
    /** It runs, or is about to: its node has been notified and interrupts it. It may be done all the same. */
    ASKED,
    /** It has ended. */
    ENDED,
    /** There is no job with that id, or its history has been removed. */
    NOT_FOUND
}
