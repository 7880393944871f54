package dev.howdah.console.internal.page;

/** The address or the form has a value that cannot be; the message says which, and what can. */
public final class BadRequestException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public BadRequestException(String message) {
        super(message);
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
