package dev.howdah.process.internal.step;

import static dev.howdah.process.ProcessException.Reason.CRASHED;
import static dev.howdah.process.ProcessException.Reason.PROCESS_ERROR;
import static dev.howdah.process.ProcessException.Reason.PROCESS_RUNNING;
import static dev.howdah.process.ProcessException.Reason.TIMEOUT;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.process.Action;
import dev.howdah.process.Intent;
import dev.howdah.process.NewEvent;
import dev.howdah.process.ProcessException;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.StepFailedException;
import dev.howdah.process.TaskType;
import dev.howdah.process.internal.store.ProcessPayloads;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.RetryPolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Turns the answer or the exception of a processor into the result of a step. */
public final class StepEvaluator {
    private static final byte[] OK = "\"ok\"".getBytes(StandardCharsets.UTF_8);
    private static final int LONGEST_TEXT = 10_000;
    /** A thousand years, as of jobs. */
    private static final long LONGEST_SECONDS = 31_556_952_000L;

    private StepEvaluator() {}

    /** What a task comes to without asking the processor; null if it is to be asked. */
    static @Nullable public StepResult withoutProcessor(Step step) {
        Step.Errand errand = step.errand();
        ProcessStatus status = step.subject().status();
        if (errand.type() == TaskType.REMOVE) return StepResult.removal(OK, null);
        if (errand.timer()) {
            if (errand.attempts() == 0) return null;
            RetryPolicy retries = step.served().namespace().retries();
            // A crash counts as an attempt, and the policy could not be asked then.
            return delay(retries, errand.attempts(), new ProcessException(CRASHED))
                            .isPresent()
                    ? null
                    : StepResult.broken(CRASHED.message(), CRASHED.message(), true);
        }
        if (errand.type() == TaskType.REPAIR && status == ProcessStatus.RUNNING)
            return StepResult.cancelled(PROCESS_RUNNING.message());
        if (errand.type() != TaskType.REPAIR && status == ProcessStatus.ERROR)
            return StepResult.cancelled(PROCESS_ERROR.message());
        if (errand.lost() && !step.served().namespace().repeatable()) return zombie(step, CRASHED.message());
        return null;
    }

    /** It is not known whether the step has run to its end. */
    private static StepResult zombie(Step step, String answer) {
        if (step.errand().type() == TaskType.REPAIR) return StepResult.failed(answer);
        return StepResult.broken(CRASHED.message(), answer, true);
    }

    /** It takes too long. */
    public static StepResult overdue(Step step) {
        if (!step.errand().timer()) return zombie(step, TIMEOUT.message());
        StepResult again = retry(step, new TimeoutException(TIMEOUT.message()), TIMEOUT.message());
        return again == null ? StepResult.broken(CRASHED.message(), TIMEOUT.message(), true) : again;
    }

    /** It has failed with that. */
    public static StepResult failed(Step step, Throwable failure) {
        boolean said = failure instanceof StepFailedException;
        ErrorText text = ErrorText.of(failure);
        String reason = said ? text(ErrorText.message(failure)) : text.line();
        // The answer of a caller, and the detail, is the first line; what follows it stands with the task.
        String error = said ? reason : text.text();
        if (step.errand().type() == TaskType.REPAIR) return StepResult.failed(error);
        if (!step.errand().timer()) return StepResult.broken(reason, error, false);
        boolean passing = said;
        try {
            passing |= step.served().namespace().transientErrors().test(failure);
        } catch (Throwable e) {
            passing = false;
        }
        StepResult again = passing ? retry(step, failure, error) : null;
        return again == null ? StepResult.broken(reason, error, true) : again;
    }

    /** The database does not take what it came to, and never will. */
    public static StepResult refused(Step step, String reason) {
        if (step.errand().type() == TaskType.REPAIR) return StepResult.failed(text(reason));
        return StepResult.broken(text(reason), text(reason), step.errand().timer());
    }

    private static @Nullable StepResult retry(Step step, Throwable failure, String reason) {
        int attempts = step.errand().attempts() + 1;
        Optional<Duration> delay = delay(step.served().namespace().retries(), attempts, failure);
        if (delay.isEmpty()) return null;
        long micros = Math.max(
                Math.min(delay.get().toSeconds(), LONGEST_SECONDS) * 1_000_000
                        + delay.get().toNanosPart() / 1000,
                0);
        return StepResult.retry(step.errand().type().text(), micros, attempts, reason);
    }

    private static Optional<Duration> delay(RetryPolicy retries, int attempt, Throwable failure) {
        try {
            return Objects.requireNonNull(retries.delay(attempt, failure));
        } catch (Throwable e) {
            return Optional.empty();
        }
    }

    /** As the database takes it. */
    private static String text(String reason) {
        String safe = ErrorText.storable(reason);
        return safe.length() <= LONGEST_TEXT ? safe : safe.substring(0, LONGEST_TEXT) + "...";
    }

    /** It went well. */
    public static StepResult intended(Step step, @Nullable Intent intent) {
        if (intent == null) return refused(step, "unsupported_result");
        PayloadCodec codec = step.served().codec();
        try {
            byte[] response = intent.response() == null ? OK : ProcessPayloads.encode(intent.response(), codec);
            String refusal = intent.refusal() == null ? null : text(intent.refusal());
            if (intent.action() instanceof Action.Remove) return StepResult.removal(response, refusal);
            return new StepResult(
                    StepDisposition.of(intent.action()),
                    timer(intent.action()),
                    refusal == null ? response : null,
                    refusal,
                    null,
                    false,
                    intent.auxState() == null ? null : ProcessPayloads.encode(intent.auxState(), codec),
                    json(intent.metadata(), codec),
                    rows(step, intent.events(), codec));
        } catch (RuntimeException e) {
            return refused(step, ErrorText.of(e, "", true).line());
        }
    }

    public static StepResult.@Nullable NewTimer timer(Action action) {
        if (!(action instanceof Action.Schedule schedule)) return null;
        long seconds = Math.min(schedule.delay().toSeconds(), LONGEST_SECONDS);
        return new StepResult.NewTimer(
                schedule.removes() ? "remove" : "timeout",
                schedule.at(),
                seconds * 1_000_000 + schedule.delay().toNanosPart() / 1000,
                0,
                0);
    }

    static @Nullable public String json(@Nullable Object metadata, PayloadCodec codec) {
        if (metadata == null) return null;
        String json = new String(ProcessPayloads.encode(metadata, codec), StandardCharsets.UTF_8);
        // What is no JSON at all the database refuses, and says why.
        char first = json.isBlank() ? ' ' : json.strip().charAt(0);
        if (first == '[' || first == '"' || first == '-' || Character.isDigit(first))
            throw new IllegalArgumentException("metadata is a JSON object, not " + json);
        return json;
    }

    private static List<StepResult.NewRow> rows(Step step, List<NewEvent> events, PayloadCodec codec) {
        if (events.isEmpty()) return List.of();
        List<StepResult.NewRow> rows = new ArrayList<>(events.size());
        Set<Long> ids = new HashSet<>();
        long last = step.subject().lastEvent();
        for (NewEvent each : events) {
            Long given = each.id();
            if (given == null && last == Long.MAX_VALUE)
                throw new IllegalArgumentException("no event can come after event " + last);
            long id = given == null ? last + 1 : given;
            last = Math.max(last, id);
            if (!ids.add(id)) throw new IllegalArgumentException("event " + id + " exists already");
            rows.add(row(id, each, codec));
        }
        return rows;
    }

    public static StepResult.NewRow row(long id, NewEvent event, PayloadCodec codec) {
        return new StepResult.NewRow(
                id, event.timestamp(), ProcessPayloads.encode(event.payload(), codec), json(event.metadata(), codec));
    }
}
