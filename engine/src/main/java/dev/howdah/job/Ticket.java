package dev.howdah.job;

/**
 * A job as it is written.
 *
 * @param payload JSON
 */
record Ticket(Shape shape, String payload) {
    /** Larger payloads are kept apart: they would be written three times otherwise. */
    private static final int LARGE = 8_192;

    boolean isLarge() {
        return isLarge(payload);
    }

    static boolean isLarge(String payload) {
        return payload.length() > LARGE;
    }
}
