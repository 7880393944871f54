package dev.howdah.console.internal.access;

/** A request that is not answered: its status and a sentence that says why. */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;

    public RefusedException(int status, String message) {
        super(message);
        this.status = status;
    }

    public int status() {
        return status;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
