package dev.howdah.process.internal.step;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a step ended, as it is written down; see {@code commit} in {@code step.sql}.
 *
 * @param letter what becomes of the process; x: it goes
 * @param timer the new one, for the letters t and r
 * @param response the answer, if {@code error} is null
 */
public record StepResult(
        char letter,
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
        return new StepResult('x', null, response, error, null, false, null, null, List.of());
    }

    /** The process is broken. */
    static StepResult broken(String reason, String error, boolean corrupts) {
        return new StepResult('e', null, null, error, reason, corrupts, null, null, List.of());
    }

    /** The task has failed, and the process is as before. */
    static StepResult failed(String error) {
        return new StepResult('f', null, null, error, null, false, null, null, List.of());
    }

    /** The task has not run. */
    static StepResult cancelled(String error) {
        return new StepResult('f', null, null, error, "cancelled", false, null, null, List.of());
    }

    static StepResult retry(String type, long delayMicros, int attempts, String error) {
        NewTimer timer = new NewTimer(type, null, delayMicros, delayMicros, attempts);
        return new StepResult('r', timer, null, error, null, false, null, null, List.of());
    }

    /** In one word, for those who count. */
    String ending() {
        return switch (letter) {
            case 'r' -> "retried";
            case 'e' -> "broken";
            case 'f' -> "cancelled".equals(detail) ? "cancelled" : "failed";
            case 'x' -> "removed";
            default -> "done";
        };
    }

    public boolean removes() {
        return letter == 'x';
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
