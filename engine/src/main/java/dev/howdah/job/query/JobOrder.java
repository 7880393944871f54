package dev.howdah.job.query;

/** The order of a list of jobs: by id; of those that are done by the time at which they were claimed. */
public enum JobOrder {
    NEWEST,
    OLDEST;

    /** The other way round. */
    public JobOrder opposite() {
        return this == NEWEST ? OLDEST : NEWEST;
    }
}
