package dev.howdah.health;

/** How a session is ended. */
public enum SessionEnd {
    /** Its present statement is cancelled; the session stays, and so does a transaction that it has open between two statements. */
    CANCEL,
    /** Its transaction is rolled back and its connection closed. */
    TERMINATE
}
