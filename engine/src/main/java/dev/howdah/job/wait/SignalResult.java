package dev.howdah.job.wait;

/** What became of a signal, as its transaction saw the job. */
public enum SignalResult {
    /** It is kept until a wait of the job reads it, or as long as the job can come back. */
    KEPT,
    /** No job had the key: one was added that reads it, see {@link NewSignal#orCreate}. */
    CREATED,
    /** The job has a signal with that id, or that counts once, and this one is left out. */
    DUPLICATE,
    /** The job has ended, and nothing is kept. */
    ENDED,
    /** There is no such job, and nothing is kept. */
    UNKNOWN
}
