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
 * @param child the job that the handler has added; 0: this is no child
 * @param childKind its kind
 * @param end how the child has ended; null: it has not
 * @param winner which of several has ended the wait, from 1; 0: this is no wait for one of several, or it is open
 * @param thrown what a step has thrown; null: this is no step
 * @param left whether it is a child that goes on whatever becomes of the job
 */
record WaitRecord(
        int number,
        Key key,
        @Nullable String until,
        boolean over,
        long leftMicros,
        @Nullable Read signal,
        long child,
        @Nullable String childKind,
        @Nullable End end,
        int winner,
        @Nullable Thrown thrown,
        boolean left) {
    /**
     * The end of a child.
     *
     * @param state done, failed or cancelled
     * @param kind with which it ended
     * @param result JSON
     * @param seen whether its failure was thrown in an earlier run
     */
    record End(
            String state,
            String kind,
            @Nullable String result,
            @Nullable String error,
            boolean seen) {
        /** What the next columns say; null: it has not ended. */
        static @Nullable End of(ResultSet row) throws SQLException {
            String state = row.getString("state");
            return state == null
                    ? null
                    : new End(
                            state,
                            row.getString("end_kind"),
                            row.getString("result"),
                            row.getString("error"),
                            row.getBoolean("seen"));
        }
    }

    /**
     * The exception of a step.
     *
     * @param type the name of its class
     */
    record Thrown(String type, @Nullable String message) {}

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
