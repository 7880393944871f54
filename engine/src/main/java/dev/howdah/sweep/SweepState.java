package dev.howdah.sweep;

/** The state of a sweep. */
public enum SweepState {
    /** All processes that have joined it work. */
    RUNNING,
    /** All processes wait until it is resumed. */
    PAUSED,
    /** It was stopped; a start continues it. */
    STOPPED,
    /** No rows are left except those that have failed. */
    DONE,
    /** It has failed; {@link SweepProgress#error} says why. A start continues it. */
    FAILED
}
