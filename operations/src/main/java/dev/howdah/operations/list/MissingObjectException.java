package dev.howdah.operations.list;

/** What a list belongs to does not exist. */
public final class MissingObjectException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public MissingObjectException(String message) {
        super(message);
    }
}
