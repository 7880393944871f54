package dev.howdah.process.query;

/** The order of a list of processes. */
public enum ProcessOrder {
    /** By id. */
    ID,
    /** By id, the last one first. */
    REVERSE_ID,
    /** Those that were started last first. */
    NEWEST,
    /** Those that were started first first. */
    OLDEST;

    /** The other way round. */
    public ProcessOrder opposite() {
        return switch (this) {
            case ID -> REVERSE_ID;
            case REVERSE_ID -> ID;
            case NEWEST -> OLDEST;
            case OLDEST -> NEWEST;
        };
    }
}
