package dev.howdah.sweep;

/** What a sweep is doing. */
public enum SweepState {
    /** Whoever has joined works. */
    RUNNING,
    /** Whoever has joined waits until it is resumed. */
    PAUSED,
    /** It was stopped; it goes on where it was when it is started again. */
    STOPPED,
    /** Nothing is left to do, but what may have failed. */
    DONE,
    /** It cannot go on; {@link SweepProgress#error} says why. It goes on when it is started again. */
    FAILED
}
