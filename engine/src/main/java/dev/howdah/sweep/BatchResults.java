package dev.howdah.sweep;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The results of the rows of one batch, told by the handler. A row whose result is told twice has the last one. For the time of
 * the call and one thread.
 */
public interface BatchResults {
    /**
     * The row is done: it is marked, also if the handler throws afterwards.
     *
     * @throws IllegalArgumentException if the row is not one of the batch
     */
    void done(SweepRow row);

    /**
     * An attempt of the row has failed; the retry policy decides about the next one.
     *
     * @param error why, for people
     * @throws IllegalArgumentException if the row is not one of the batch
     */
    void failed(SweepRow row, String error);

    /**
     * The row has failed, and is not tried again unless that is asked for.
     *
     * @param error why, for people
     * @throws IllegalArgumentException if the row is not one of the batch
     */
    void failedForGood(SweepRow row, String error);

    /**
     * The receiver is unavailable for the row, or asks for a pause: no attempt is counted, and rows wait, as after a {@link
     * ReceiverUnavailableException}.
     *
     * @param reason for people
     * @param retryAfter the shortest time to wait; null: unknown
     * @throws IllegalArgumentException if the row is not one of the batch
     */
    void unavailable(SweepRow row, String reason, @Nullable Duration retryAfter);
}
