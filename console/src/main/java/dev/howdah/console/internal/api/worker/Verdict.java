package dev.howdah.console.internal.api.worker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.job.Job;
import dev.howdah.job.Outcome;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a worker says that its job ended.
 *
 * @param action complete, fail, snooze, release or cancel
 * @param result of complete; null: none
 * @param next of complete: the stage that follows; null: the job is done
 * @param error of fail and cancel; null: none
 * @param isRetried of fail: whether another attempt may follow
 * @param delay of fail and snooze; null: as the retry policy says
 * @param cause of fail: the call that was answered with the failure which the handler has not caught; 0: none
 */
record Verdict(
        String action,
        @Nullable JsonNode result,
        Outcome.@Nullable MoveTo next,
        @Nullable String error,
        boolean isRetried,
        @Nullable Duration delay,
        int cause) {
    private static final RetryPolicy RETRIES = RetryPolicy.standard();

    Verdict(
            String action,
            @Nullable JsonNode result,
            Outcome.@Nullable MoveTo next,
            @Nullable String error,
            boolean isRetried,
            @Nullable Duration delay) {
        this(action, result, next, error, isRetried, delay, 0);
    }

    /** The attempt has failed, and another one follows as the retry policy says. */
    static Verdict failed(String error) {
        return new Verdict("fail", null, null, error, true, null);
    }

    Outcome outcome(Job job) {
        switch (action) {
            case "complete" -> {
                if (next != null) return next;
                if (result != null) job.result(result);
                return Outcome.done();
            }
            case "fail" -> {
                return isRetried
                        ? Outcome.retry(delay == null ? usualDelay(job.attempt()) : delay, error)
                        : Outcome.fail(error);
            }
            case "cancel" -> {
                return Outcome.cancel(error);
            }
            default -> {
                return Outcome.snooze(delay == null ? Duration.ZERO : delay);
            }
        }
    }

    private static Duration usualDelay(int attempt) {
        return RETRIES.delay(attempt, new IllegalStateException()).orElse(Duration.ZERO);
    }
}
