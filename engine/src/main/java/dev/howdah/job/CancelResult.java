package dev.howdah.job;

/** What became of a job that was to be cancelled. */
public enum CancelResult {
    /** It waited, and will not run. */
    CANCELLED,
    /** It runs, or is about to: its node has been told, and interrupts it. It may be done all the same. */
    ASKED,
    /** It has ended. */
    ENDED,
    /** There is no job with that number, or its history has been removed. */
    NOT_FOUND
}
