package dev.howdah.process.internal.step;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The end of a step, as it is written; see {@code step_commit} in {@code step.sql}.
 *
 * @param timer the new one, for {@link StepDisposition#SCHEDULED} and {@link StepDisposition#RETRIED}
 * @param response the answer, if {@code error} is null
 */
public record StepResult(
        StepDisposition disposition,
        @Nullable NewTimer timer,
        byte @Nullable [] response,
        @Nullable String error,
        @Nullable String detail,
        boolean corrupts,
        byte @Nullable [] auxState,
        @Nullable String metadata,
        List<NewRow> events) {
    /**
     * A timer to be set.
     *
     * @param at when; null: {@code delayMicros} from now
     * @param attempts how often it has failed, {@code againMicros} ago the last time
     */
    public record NewTimer(String type, @Nullable Instant at, long delayMicros, long againMicros, int attempts) {}

    /** An event to be written. */
    public record NewRow(
            long id,
            @Nullable Instant at,
            byte[] payload,
            @Nullable String metadata) {}

    static StepResult removal(byte[] response, @Nullable String error) {
        return new StepResult(StepDisposition.REMOVED, null, response, error, null, false, null, null, List.of());
    }

    /** The process is broken. */
    static StepResult broken(String reason, String error, boolean corrupts) {
        return new StepResult(StepDisposition.BROKEN, null, null, error, reason, corrupts, null, null, List.of());
    }

    /** The task has failed, and the process is as before. */
    static StepResult failed(String error) {
        return new StepResult(StepDisposition.FAILED, null, null, error, null, false, null, null, List.of());
    }

    /** The task has not run. */
    static StepResult cancelled(String error) {
        return new StepResult(StepDisposition.FAILED, null, null, error, "cancelled", false, null, null, List.of());
    }

    static StepResult retry(String type, long delayMicros, int attempts, String error) {
        NewTimer timer = new NewTimer(type, null, delayMicros, delayMicros, attempts);
        return new StepResult(StepDisposition.RETRIED, timer, null, error, null, false, null, null, List.of());
    }

    /** The label of the metric that counts ended steps. */
    String ending() {
        return disposition == StepDisposition.FAILED && "cancelled".equals(detail) ? "cancelled" : disposition.metric();
    }

    public boolean removes() {
        return disposition == StepDisposition.REMOVED;
    }

    /** How many bytes it has, about. */
    public long weight() {
        long weight = 200;
        if (response != null) weight += response.length;
        if (auxState != null) weight += auxState.length;
        for (NewRow each : events) weight += 100 + each.payload().length;
        return weight;
    }
}
