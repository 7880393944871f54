package dev.howdah.job.internal.insert;

import dev.howdah.job.internal.store.JobPayloads;

/**
 * A job as it is written.
 *
 * @param payload JSON
 */
public record InsertRow(InsertTemplate template, String payload) {
    boolean isLarge() {
        return JobPayloads.isLarge(payload);
    }
}
