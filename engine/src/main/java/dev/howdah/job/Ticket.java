package dev.howdah.job;

/**
 * A job as it is written.
 *
 * @param payload JSON
 */
record Ticket(Shape shape, String payload) {
    boolean isLarge() {
        return Payloads.isLarge(payload);
    }
}
