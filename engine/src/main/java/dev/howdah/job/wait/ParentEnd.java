package dev.howdah.job.wait;

/** What becomes of a child when its parent ends. */
public enum ParentEnd {
    /** It is cancelled, and its children with it, when the parent fails for good or is cancelled, and goes on when the parent is done. */
    CANCEL,
    /** It goes on. */
    LEAVE,
    /** It is cancelled, and its children with it, when the parent has ended, also when that is done. */
    CANCEL_ALWAYS
}
