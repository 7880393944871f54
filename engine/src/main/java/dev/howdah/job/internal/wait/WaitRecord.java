package dev.howdah.job.internal.wait;

import dev.howdah.job.internal.attempt.OpenWait;
import org.jspecify.annotations.Nullable;

/**
 * What an earlier run has recorded.
 *
 * @param number the place among the records of the job
 * @param until the end of its time, as the database has it
 * @param over whether it had ended when this was read
 * @param leftMicros how many microseconds were left then
 */
record WaitRecord(int number, Key key, @Nullable String until, boolean over, long leftMicros) {
    /** @param nth which of this type and name, in the order of the calls of a run */
    record Key(OpenWait.Type type, String name, int nth) {}
}
