package dev.howdah.job;

/**
 * A job as it is written.
 *
 * @param payload JSON
 */
record InsertRow(InsertTemplate shape, String payload) {
    boolean isLarge() {
        return JobPayloads.isLarge(payload);
    }
}
