package dev.howdah.task;

/**
 * Thrown if a table cannot be served as it is: a column does not fit, or a privilege is missing. The message says
 * which, and what would be right.
 */
public final class TaskTableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public TaskTableException(String message) {
        super(message);
    }
}
