package dev.howdah;

/** A connection string, or a setting that belongs to one, that cannot be understood. The message holds no secret. */
public class DatabaseAddressException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    public DatabaseAddressException(String message) {
        super(message);
    }
}
