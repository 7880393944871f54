package dev.howdah.sweep;

/**
 * Thrown when this process has left a sweep because the receiver of its rows was unavailable for longer than {@link
 * SweepBuilder#maxOutage}. The sweep has not ended: other processes continue, and a start goes on where it was.
 */
public class SweepOutageException extends SweepException {
    private static final long serialVersionUID = 1;

    public SweepOutageException(String message) {
        super(message);
    }

    public SweepOutageException(String message, Throwable cause) {
        super(message, cause);
    }
}
