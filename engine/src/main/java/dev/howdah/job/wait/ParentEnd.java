package dev.howdah.job.wait;

/** What becomes of a child when its parent fails for good or is cancelled. When the parent is done, its children go on. */
public enum ParentEnd {
    /** It is cancelled too, and its children with it. */
    CANCEL,
    /** It goes on. */
    LEAVE
}
