package dev.howdah.job.internal.wait;

import dev.howdah.job.internal.attempt.OpenWait;
import dev.howdah.job.internal.store.JobRows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What an earlier run has recorded.
 *
 * @param number the place among the records of the job
 * @param until the end of its time, as the database has it
 * @param over whether it had ended when this was read
 * @param leftMicros how many microseconds were left then
 * @param signal that has ended the wait; null: none has
 */
record WaitRecord(
        int number,
        Key key,
        @Nullable String until,
        boolean over,
        long leftMicros,
        @Nullable Read signal) {
    /** A signal that a wait has read. */
    record Read(long id, @Nullable String given, String payload, String sender, Instant sent) {
        /** What the next columns say; null: no signal. */
        static @Nullable Read of(ResultSet row) throws SQLException {
            String payload = row.getString("payload");
            return payload == null
                    ? null
                    : new Read(
                            row.getLong("id"),
                            row.getString("given"),
                            payload,
                            row.getString("sender"),
                            JobRows.instant(row, "sent"));
        }
    }

    /** @param nth which of this type and name, in the order of the calls of a run */
    record Key(OpenWait.Type type, String name, int nth) {}
}
