package dev.howdah.task;

/**
 * A table that cannot be served as it is: a column that does not fit, or a right that is missing. The message says which,
 * and what would be right.
 */
public final class TaskTableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public TaskTableException(String message) {
        super(message);
    }
}
