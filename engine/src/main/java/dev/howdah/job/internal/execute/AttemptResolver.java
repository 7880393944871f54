package dev.howdah.job.internal.execute;

import dev.howdah.internal.error.AttemptLog;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.job.FatalException;
import dev.howdah.job.JobsException;
import dev.howdah.job.Outcome;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.attempt.OpenWait;
import dev.howdah.job.internal.handler.PayloadException;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobPayloads;
import dev.howdah.job.wait.JobSuspended;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resolves what a handler has returned or thrown into the result of the attempt, by the retry policy, and logs failures. Safe for use by
 * many threads.
 */
final class AttemptResolver {
    private static final Logger log = LoggerFactory.getLogger(AttemptResolver.class);
    private static final int LONGEST_CHAIN = 50;

    private final PayloadCodec codec;
    private final AttemptLog attempts;

    AttemptResolver(PayloadCodec codec, AttemptLog attempts) {
        this.codec = codec;
        this.attempts = attempts;
    }

    /** The handler has returned. */
    AttemptResult result(@Nullable Outcome outcome, RetryPolicy retries, ClaimedJob job, RunningJob run) {
        if (outcome == null) throw new NullPointerException("its handler said null instead of how the job ended");
        OpenWait wait = run.openWait();
        if (job.cancelled() != null) return cancelled(job, wait);
        boolean ended = outcome instanceof Outcome.Done || outcome instanceof Outcome.Fail;
        if (!ended && run.reason() == RunningJob.Reason.CANCELLED) return AttemptResult.cancelledWhileItRan();
        if (wait != null) return suspended(wait, retries, job, run);
        if (outcome instanceof Outcome.Suspended)
            return failed(ErrorText.of("its handler said that it waits, and waits for nothing"), null, run);
        if (outcome instanceof Outcome.Snooze snooze) return AttemptResult.snooze(Durations.micros(snooze.delay()));
        if (outcome instanceof Outcome.Retry retry) return asked(retry, retries, job, run);
        if (outcome instanceof Outcome.Fail fail) return failed(ErrorText.of(fail.reason()), null, run);
        if (outcome instanceof Outcome.Cancel cancel)
            return AttemptResult.cancelled(ErrorText.of(cancel.reason()).text());
        if (outcome instanceof Outcome.MoveTo move)
            return AttemptResult.next(new AttemptResult.Step(
                    move.queue(), move.kind(), JobPayloads.encode(move.payload(), move.kind(), codec)));
        if (outcome instanceof Outcome.Next)
            return failed(
                    ErrorText.of("its handler said next, but " + run.kind() + " is no stage of a pipeline"), null, run);
        if (outcome instanceof Outcome.Done) {
            try {
                run.checkEnd();
            } catch (JobSuspended e) {
                return suspended(Objects.requireNonNull(run.openWait()), retries, job, run);
            }
            String left = run.unaskedStep();
            if (left != null)
                attempts.retry(
                        ErrorText.of("its handler has not asked for step \"" + left
                                + "\", which an earlier attempt has recorded: if the step has another name now, it was done"
                                + " twice"),
                        "job {} ({}, {}) is done",
                        run.id(),
                        run.queue(),
                        run.kind());
        }
        String result = run.result();
        return result == null ? AttemptResult.DONE : AttemptResult.done(result);
    }

    /** A run that was told of the cancellation has ended. Where the records do not fit the code it has undone nothing, and waits for code that does. */
    private static AttemptResult cancelled(ClaimedJob job, @Nullable OpenWait wait) {
        return wait != null && wait.divergence() != null
                ? AttemptResult.suspended(wait)
                : AttemptResult.cancelled(Objects.requireNonNull(job.cancelled()));
    }

    /** The handler waits; that its time was over, or that the claim was lost, comes first. */
    private AttemptResult suspended(OpenWait wait, RetryPolicy retries, ClaimedJob job, RunningJob run) {
        RunningJob.Reason reason = run.reason();
        if (reason == RunningJob.Reason.TIMEOUT || reason == RunningJob.Reason.LOST)
            return failure(new JobsException("it was about to wait for " + wait.words()), retries, job, run);
        String payload = run.continued();
        if (payload != null) return AttemptResult.next(new AttemptResult.Step(run.queue(), run.kind(), payload, true));
        log.debug("job {} ({}, {}) waits for {}", run.id(), run.queue(), run.kind(), wait.words());
        return AttemptResult.suspended(wait);
    }

    /** The handler says when the next attempt is; whether there is one says the policy, as for what it throws. */
    private AttemptResult asked(Outcome.Retry retry, RetryPolicy retries, ClaimedJob job, RunningJob run) {
        ErrorText error = ErrorText.of(retry.reason());
        try {
            boolean more = retries.delay(job.attempt() + 1, new JobsException(retry.reason()))
                    .isPresent();
            return again(more ? retry.delay() : null, error, null, job, run);
        } catch (Throwable e) {
            return failed(withPolicy(error, e), e, run);
        }
    }

    /** The handler, or what belongs to its attempt, has thrown. */
    AttemptResult failure(Throwable thrown, RetryPolicy retries, ClaimedJob job, RunningJob run) {
        RunningJob.Reason reason = run.reason();
        if (reason == RunningJob.Reason.CANCELLED) return AttemptResult.cancelledWhileItRan();
        if (reason == RunningJob.Reason.STOPPING || reason == RunningJob.Reason.LOST) return AttemptResult.GIVEN_BACK;
        if (job.cancelled() != null) return cancelled(job, run.openWait());
        String before = reason == RunningJob.Reason.TIMEOUT ? reason.words() + ": " : "";
        Throwable fatal = fatal(thrown);
        ErrorText error = thrown instanceof PayloadException unreadable
                ? ErrorText.of(unreadable.reason())
                : ErrorText.of(thrown, before, thrown == fatal || thrown instanceof JobsException);
        if (fatal != null) {
            run.failsBy(fatal);
            return failed(error, thrown, run);
        }
        Duration delay;
        try {
            delay = retries.delay(job.attempt() + 1, thrown)
                    .map(Durations::check)
                    .orElse(null);
        } catch (Throwable e) {
            return failed(withPolicy(error, e), thrown, run);
        }
        return again(delay, error, thrown, job, run);
    }

    /** Something else than user code has failed, or there is no memory left: the standard policy holds. */
    AttemptResult unexpected(Throwable thrown, ClaimedJob job) {
        ErrorText error = ErrorText.of(thrown);
        Duration delay = RetryPolicy.standard().delay(job.attempt() + 1, thrown).orElse(null);
        attempts.failed(error, thrown, "attempt {} of job {} could not be made", job.attempt() + 1, job.id());
        if (delay == null || job.attempt() + 1 >= job.attempts()) return AttemptResult.failed(error.text());
        return AttemptResult.retry(Durations.micros(delay), error.text());
    }

    private static ErrorText withPolicy(ErrorText error, Throwable e) {
        return error.with("; and its retry policy failed: " + ErrorText.line(e));
    }

    /** The {@link FatalException} among a throwable and its causes; null if there is none. */
    private static @Nullable Throwable fatal(Throwable thrown) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        try {
            for (Throwable each = thrown; each != null && seen.add(each) && seen.size() <= LONGEST_CHAIN; )
                if (each instanceof FatalException) return each;
                else each = each.getCause();
        } catch (Throwable e) {
            // A cause that cannot be asked for is none.
        }
        return null;
    }

    /** Unless there is no delay, or the job itself says that this was its last attempt. */
    private AttemptResult again(
            @Nullable Duration delay, ErrorText error, @Nullable Throwable thrown, ClaimedJob job, RunningJob run) {
        if (delay == null || job.attempt() + 1 >= job.attempts()) return failed(error, thrown, run);
        attempts.retry(
                error,
                thrown,
                run.kind(),
                "attempt {} of job {} ({}, {}) failed, next one in {} s",
                run.attempt(),
                run.id(),
                run.queue(),
                run.kind(),
                delay.toMillis() / 1e3);
        return AttemptResult.retry(Durations.micros(delay), error.text());
    }

    /** The job has failed for good. */
    AttemptResult failed(ErrorText error, @Nullable Throwable thrown, RunningJob run) {
        attempts.failed(
                error,
                thrown,
                "job {} ({}, {}) failed for good with attempt {}",
                run.id(),
                run.queue(),
                run.kind(),
                run.attempt());
        return AttemptResult.failed(error.text());
    }
}
