package dev.howdah.operations.change;

import dev.howdah.job.JobAdmin;
import dev.howdah.job.limit.LimitSetting;
import dev.howdah.job.query.QueueSummary;
import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Engine;
import dev.howdah.operations.Operation;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Role;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import dev.howdah.operations.value.NameValue;
import dev.howdah.operations.value.TextValue;
import dev.howdah.operations.value.WholeValue;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The operations on queues, without those of their limits. */
public final class QueueOperations {
    static final Parameter<String> QUEUE = Parameter.of("queue", NameValue.USUAL, "The name of the queue.");

    static final Subject SUBJECT =
            new Subject("queue", "queues", List.of(QUEUE), "/jobs/queues/{queue}", "job", QueueOperations::image);

    private static final Parameter<String> KIND =
            Parameter.maybe("kind", NameValue.USUAL, "Only the jobs of this kind; other kinds of the queue go on.");

    private static final Parameter<String> ERROR = Parameter.maybe(
            "error", new TextValue(1_000), "Only jobs with this text in the error of their last attempt.");

    private static final Parameter<Integer> JOBS =
            Parameter.of("jobs", new WholeValue(0, Integer.MAX_VALUE), "The number of jobs that are due now.");

    public static final Operation PAUSE = Operation.of(
                    SUBJECT,
                    "pause",
                    Role.OPERATOR,
                    "Pause a queue, or a kind of it: no node claims from it. Running jobs continue.")
            .takes(KIND)
            .target(QueueOperations::target)
            .ask("Pause {target}? No node takes its jobs any more; jobs that run go on.")
            .say("{target} is paused.", "{target} was paused already.")
            .does(call -> {
                JobAdmin jobs = call.engine().jobs();
                String queue = call.key(QUEUE);
                String kind = call.find(KIND);
                return ChangeOutcome.of(kind == null ? jobs.pause(queue) : jobs.pause(queue, kind))
                        .undoneBy(QueueOperations.RESUME, call.values());
            });

    public static final Operation RESUME = Operation.of(
                    SUBJECT, "resume", Role.OPERATOR, "Resume a queue, or a kind of it: nodes claim from it again.")
            .takes(KIND)
            .target(QueueOperations::target)
            .say("{target} goes on.", "{target} was not paused.")
            .does(call -> {
                JobAdmin jobs = call.engine().jobs();
                String queue = call.key(QUEUE);
                String kind = call.find(KIND);
                return ChangeOutcome.of(kind == null ? jobs.resume(queue) : jobs.resume(queue, kind))
                        .undoneBy(PAUSE, call.values());
            });

    public static final Operation RUN_RETRIES_NOW = Operation.of(
                    SUBJECT,
                    "run-retries-now",
                    Role.OPERATOR,
                    "Make all jobs of a queue due now that wait for a retry. Planned jobs keep their times.")
            .id("runRetriesNow")
            .takes(ERROR)
            .returns(JOBS)
            .ask(
                    "Make all jobs of {target} due now that wait for a retry? Those that are only planned keep their times.")
            .does(call -> {
                JobAdmin jobs = call.engine().jobs();
                String queue = call.key(QUEUE);
                String error = call.find(ERROR);
                long due = error == null ? jobs.runRetriesNow(queue) : jobs.runRetriesNow(queue, error);
                return ChangeOutcome.of(due > 0)
                        .said(due + (due == 1 ? " job of {target} is" : " jobs of {target} are") + " due now.")
                        .with(JOBS, Math.toIntExact(due));
            });

    /** All of them. */
    public static final List<Operation> ALL = List.of(PAUSE, RESUME, RUN_RETRIES_NOW);

    private QueueOperations() {}

    /** The key of a queue. */
    public static Values key(String queue) {
        return Values.NONE.with(QUEUE, queue);
    }

    /** The parameter that names a kind of a queue. */
    public static Values kind(String kind) {
        return Values.NONE.with(KIND, kind);
    }

    private static String target(Values key, Values values) {
        String kind = values.find(KIND);
        return (kind == null ? "" : "kind " + kind + " of ") + SUBJECT.words(key);
    }

    /** A queue as it is, without its counts. */
    public record QueueImage(
            String queue,
            @Nullable Instant paused,
            @Nullable String pausedBy,
            List<String> pausedKinds,
            List<LimitSetting> limits) {}

    private static @Nullable Record image(Engine engine, Values key) {
        String queue = key.get(QUEUE);
        List<LimitSetting> limits = limits(engine, queue);
        QueueSummary found = engine.jobs().queues(1).stream()
                .filter(each -> each.name().equals(queue))
                .findFirst()
                .orElse(null);
        if (found == null) return limits.isEmpty() ? null : new QueueImage(queue, null, null, List.of(), limits);
        return new QueueImage(queue, found.paused(), found.pausedBy(), found.pausedKinds(), limits);
    }

    static List<LimitSetting> limits(Engine engine, String queue) {
        return engine.jobs().limits().list().stream()
                .filter(each -> each.scope().queue().equals(queue))
                .toList();
    }
}
