package dev.howdah.job.query;

/** The state of a job. */
public enum JobState {
    /** It is due, and waits to be claimed. */
    WAITING,
    /** Its time has not come, and it has had no attempt. */
    PLANNED,
    /** An attempt has failed, and the time of the next one has not come. */
    RETRYING,
    /** Its handler waits, without a thread, and its time has not come. */
    SUSPENDED,
    /** It runs after another job: of its pipeline, of its order key, or of its key. */
    FOLLOWING,
    /** A node has claimed it. */
    RUNNING,
    DONE,
    /** It has failed with its last attempt, or for good. */
    FAILED,
    CANCELLED
}
