package dev.howdah.operations.change;

import static dev.howdah.job.query.JobState.CANCELLED;
import static dev.howdah.job.query.JobState.DONE;
import static dev.howdah.job.query.JobState.FAILED;
import static dev.howdah.job.query.JobState.PLANNED;
import static dev.howdah.job.query.JobState.RETRYING;
import static dev.howdah.job.query.JobState.RUNNING;
import static dev.howdah.job.query.JobState.SUSPENDED;
import static dev.howdah.job.query.JobState.WAITING;

import dev.howdah.health.Cause;
import dev.howdah.job.JobAdmin;
import dev.howdah.job.query.BulkChange.Action;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Role;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import dev.howdah.operations.value.ChoiceValue;
import dev.howdah.operations.value.IdValue;
import dev.howdah.operations.value.JsonValue;
import dev.howdah.operations.value.ManyValue;
import dev.howdah.operations.value.NameValue;
import dev.howdah.operations.value.TextValue;
import dev.howdah.operations.value.TimeValue;
import dev.howdah.operations.value.WholeValue;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The operations on jobs that there are. */
public final class JobOperations {
    private static final Parameter<Long> ID = Parameter.of("id", new IdValue(), "The id of the job.");

    /** The queue to which jobs are moved. */
    public static final Parameter<String> TO = Parameter.of(
                    "to", NameValue.USUAL, "The other queue, which is created if it is new.")
            .asOption();

    private static final Parameter<Integer> PRIORITY =
            Parameter.of("priority", new WholeValue(-100, 100), "The priority; lower runs first.");

    private static final Parameter<List<String>> TAGS = Parameter.maybe(
            "tags", new ManyValue<>(new TextValue(100), 20), "The tags, in place of those that it has; absent: none.");

    private static final Parameter<String> SIGNAL_NAME =
            Parameter.of("name", new TextValue(200), "The name that the handler waits for.");

    private static final Parameter<String> PAYLOAD =
            Parameter.maybe("payload", new JsonValue(65_536), "What the signal says; absent: null.");

    private static final Parameter<String> NEW_PAYLOAD =
            Parameter.of("payload", new JsonValue(5_000_000), "The payload.");

    private static final Parameter<String> WAS = Parameter.maybe(
            "was",
            new JsonValue(5_000_000),
            "The payload that the job has to have, so that no other change is lost; absent: any payload.");

    private static final Parameter<Instant> RUN_AT = Parameter.of(
            "at", new TimeValue(false), "When it is due; of a suspended job, the end of the time for which it waits.");

    private static final Parameter<String> RECORD_TYPE = Parameter.of(
            "type",
            ChoiceValue.of("step", "sleep", "signal", "child", "any", "job", "event", "thrown", "patch"),
            "What the handler has recorded.");

    private static final Parameter<String> RECORD_NAME =
            Parameter.of("name", new TextValue(200), "The name by which the handler has asked for it.");

    private static final Parameter<String> FROM_STEP = Parameter.maybe(
            "from_step",
            new TextValue(200),
            "A step: the new job has what was recorded before it, and does it again; absent: it has no records.");

    private static final Parameter<Long> NEW_JOB = Parameter.of("new_job", new IdValue(), "The id of the new job.");

    private static final Parameter<String> RESULT = Parameter.of(
            "result",
            ChoiceValue.of("cancelled", "asked"),
            "Whether it is cancelled, or its node was asked to interrupt it.");

    private static final Pattern LAST_ID = Pattern.compile("\"last_id\":\\s*(\\d{1,18})");

    private static final Subject JOB = new Subject(
            "job",
            "jobs",
            List.of(ID),
            "/jobs/{id}",
            "job",
            (engine, key) -> engine.jobs().find(key.get(ID)).orElse(null));

    public static final Operation RETRY = Operation.of(
                    JOB, "retry", Role.OPERATOR, "Retry a failed or cancelled job, with all its attempts.")
            .ask("Retry {target}? It begins anew, with all its attempts.")
            .say("{target} waits to run again.", "")
            .many("Retry {target}? They begin anew, with all their attempts.", "{target} wait to run again.")
            .does(call -> change(call, "it has neither failed nor been cancelled", jobs -> jobs.retry(id(call))));

    public static final Operation RUN_NOW = Operation.of(
                    JOB, "run-now", Role.OPERATOR, "Make a job due now that is planned or waits for a retry.")
            .id("runJobNow")
            .say("{target} is due now.", "")
            .many("Make {target} due now?", "{target} are due now.")
            .does(call -> change(call, "it is neither planned nor waits for a retry", jobs -> jobs.runNow(id(call))));

    public static final Operation CANCEL = Operation.of(
                    JOB,
                    "cancel",
                    Role.OPERATOR,
                    "Cancel a job: a waiting job at once, a running job by interrupting its handler.")
            .returns(RESULT)
            .ask(
                    "Cancel {target}? If it waits, it will not run. If it runs, its node is told to interrupt it, and it may"
                            + " be done all the same.")
            .say("{target} is cancelled.", "")
            .many(
                    "Cancel {target}? If they wait, they will not run. If they run, their nodes are told to interrupt them,"
                            + " and they may be done all the same.",
                    "{target} are cancelled, or will be interrupted.")
            .endsWork()
            .does(JobOperations::cancel);

    public static final Operation MOVE = Operation.of(
                    JOB,
                    "move",
                    Role.OPERATOR,
                    "Move a waiting job to another queue; one with a key or an order key stays.")
            .takes(TO)
            .ask("Move {target} to queue {to}? With a key or an order key it stays where it is.")
            .say("{target} is in queue {to} now.", "{target} is in queue {to} already.")
            .many(
                    "Move {target} to queue {to}? Those with a key or an order key stay where they are.",
                    "{target} are in queue {to} now.")
            .does(call -> {
                Values before = before(call, job -> Values.NONE.with(TO, job.queue()));
                return change(
                                call,
                                "it does not wait, or belongs to its queue by a key or an order key",
                                jobs -> jobs.moveEach(List.of(id(call)), call.get(TO)) > 0)
                        .alreadyIf(before.texts().equals(call.values().texts()))
                        .undoneBy(JobOperations.MOVE, before);
            });

    public static final Operation DELETE = Operation.of(
                    JOB,
                    "delete",
                    Role.ADMINISTRATOR,
                    "Delete a failed or cancelled job. It cannot be retried any more; its history stays.")
            .ask("Delete {target} with its payload and its key? Its history stays.")
            .say("{target} is deleted.", "")
            .many("Delete {target} with their payloads and keys? Their history stays.", "{target} are deleted.")
            .removes()
            .does(call -> change(call, "it has neither failed nor been cancelled", jobs -> jobs.delete(id(call))));

    public static final Operation SET_PRIORITY = Operation.of(
                    JOB, "priority", Role.OPERATOR, "Set the priority of a waiting job, from the next claim on.")
            .id("setJobPriority")
            .takes(PRIORITY)
            .say("{target} has priority {priority} now.", "{target} has priority {priority} already.")
            .does(call -> {
                Values before = before(call, job -> Values.NONE.with(PRIORITY, job.priority()));
                return change(call, "it does not wait", jobs -> jobs.setPriority(id(call), call.get(PRIORITY)))
                        .alreadyIf(before.texts().equals(call.values().texts()))
                        .undoneBy(JobOperations.SET_PRIORITY, before);
            });

    public static final Operation SET_TAGS = Operation.of(
                    JOB, "tags", Role.OPERATOR, "Give a waiting job tags, in place of those that it has.")
            .id("setJobTags")
            .takes(TAGS)
            .say("The tags of {target} are set.", "{target} has these tags already.")
            .does(call -> {
                Values before = before(call, JobOperations::tags);
                Set<String> tags = tags(call.values());
                return change(call, "it does not wait", jobs -> jobs.setTags(id(call), tags))
                        .alreadyIf(tags.equals(tags(before)))
                        .undoneBy(JobOperations.SET_TAGS, before);
            });

    public static final Operation RESCHEDULE = Operation.of(
                    JOB,
                    "reschedule",
                    Role.OPERATOR,
                    "Make a waiting job due at another time; of a suspended one, the end of the time for which it waits.")
            .id("rescheduleJob")
            .takes(RUN_AT)
            .say("{target} is due at {at} now.", "{target} is due at {at} already.")
            .does(call -> {
                Values before = before(call, JobOperations::runAt);
                return change(
                                call,
                                "it does not wait, or for something that has no time",
                                jobs -> jobs.reschedule(id(call), call.get(RUN_AT)))
                        .alreadyIf(before.texts().equals(call.values().texts()))
                        .undoneBy(JobOperations.RESCHEDULE, before);
            });

    public static final Operation SET_PAYLOAD = Operation.of(
                    JOB, "payload", Role.ADMINISTRATOR, "Give a waiting job another payload.")
            .id("setJobPayload")
            .takes(NEW_PAYLOAD, WAS)
            .ask("Give {target} another payload? The one that it has is gone then.")
            .say("{target} has another payload now.", "")
            .does(call -> change(
                    call,
                    "it does not wait",
                    jobs -> jobs.setPayload(
                            id(call), call.get(NEW_PAYLOAD), call.values().find(WAS))));

    public static final Operation SIGNAL = Operation.of(
                    JOB, "signal", Role.OPERATOR, "Send a signal to a job, whose handler waits for it, or will.")
            .takes(SIGNAL_NAME, PAYLOAD)
            .adds()
            .alsoFor(Role.SENDER)
            .say("Signal {name} to {target} is kept until its handler reads it.", "")
            .does(JobOperations::signal);

    public static final Operation RERUN = Operation.of(
                    JOB,
                    "rerun",
                    Role.OPERATOR,
                    "Run a job that has ended again, as a new one with its payload, key, tags and options.")
            .id("rerunJob")
            .takes(FROM_STEP)
            .returns(NEW_JOB)
            .adds()
            .ask("Run {target} again? What it does happens once more.")
            .say("{target} runs again as a new job.", "")
            .does(JobOperations::rerun);

    public static final Operation DROP_RECORD = Operation.of(
                    JOB,
                    "drop-record",
                    Role.OPERATOR,
                    "Drop a record of a job that waits or has failed, which the code of its handler does not ask for any"
                            + " more.")
            .id("dropJobRecord")
            .takes(RECORD_TYPE, RECORD_NAME)
            .ask("Drop the record {type} \"{name}\" of {target}? A step that its handler still asks for is done again.")
            .say("The record {type} \"{name}\" of {target} is dropped.", "")
            .does(JobOperations::dropRecord);

    /** All of them. */
    public static final List<Operation> ALL = List.of(
            RETRY,
            RUN_NOW,
            CANCEL,
            MOVE,
            DELETE,
            SET_PRIORITY,
            SET_TAGS,
            RESCHEDULE,
            SET_PAYLOAD,
            SIGNAL,
            RERUN,
            DROP_RECORD);

    /** Those that change one job only. */
    public static final List<Operation> OF_ONE =
            List.of(SET_PRIORITY, SET_TAGS, RESCHEDULE, SET_PAYLOAD, SIGNAL, RERUN, DROP_RECORD);

    private static final Set<JobState> ENDED = Set.of(DONE, FAILED, CANCELLED);

    private static final Set<JobState> WITH_RECORDS = Set.of(WAITING, PLANNED, RETRYING, SUSPENDED, FAILED, CANCELLED);

    /** Those that also change many jobs, in the order of their buttons. */
    private static final Map<Action, Operation> OF_MANY = new EnumMap<>(Map.of(
            Action.RETRY,
            RETRY,
            Action.RUN_NOW,
            RUN_NOW,
            Action.CANCEL,
            CANCEL,
            Action.MOVE,
            MOVE,
            Action.DELETE,
            DELETE));

    private JobOperations() {}

    /** The key of a job. */
    public static Values key(long id) {
        return Values.NONE.with(ID, id);
    }

    /** The parameters that set the priority of a job as it is. */
    public static Values priority(JobSummary job) {
        return Values.NONE.with(PRIORITY, job.priority());
    }

    /** The parameters that set the tags of a job as they are. */
    public static Values tags(JobSummary job) {
        return Values.NONE.with(TAGS, job.tags().isEmpty() ? null : job.tags());
    }

    /** The parameters that set the time of a job as it is. */
    public static Values runAt(JobSummary job) {
        return Values.NONE.with(RUN_AT, job.runAt());
    }

    /** The parameters of a signal with that name. */
    public static Values signalNamed(String name) {
        return Values.NONE.with(SIGNAL_NAME, name);
    }

    /** The operation that does an action with many jobs. */
    public static Operation of(Action action) {
        return Objects.requireNonNull(OF_MANY.get(action), () -> action + " has no operation");
    }

    /** The states whose jobs an action changes, all that match at once; the first is the usual one. */
    public static List<JobState> states(Action action) {
        return switch (action) {
            case RETRY, DELETE -> List.of(FAILED, CANCELLED);
            case RUN_NOW -> List.of(RETRYING, PLANNED);
            case CANCEL, MOVE -> List.of(WAITING, PLANNED, RETRYING, SUSPENDED);
        };
    }

    /** The actions for jobs in a state, and the words of their buttons; running jobs are cancelled by their ids only. */
    public static Map<Action, String> actions(JobState state) {
        Map<Action, String> actions = new LinkedHashMap<>();
        OF_MANY.forEach((action, operation) -> {
            if (states(action).contains(state) || action == Action.CANCEL && state == RUNNING)
                actions.put(action, operation.label());
        });
        return actions;
    }

    private static Set<String> tags(Values values) {
        List<String> tags = values.find(TAGS);
        return tags == null ? Set.of() : new TreeSet<>(tags);
    }

    private static long id(OperationCall call) {
        return call.key(ID);
    }

    private static Values before(OperationCall call, Function<JobSummary, Values> parameters) {
        return call.engine().jobs().find(id(call)).map(parameters).orElse(Values.NONE);
    }

    private interface Change {
        boolean of(JobAdmin jobs);
    }

    /** @param why nothing is done with a job in another state */
    private static ChangeOutcome change(OperationCall call, String why, Change change) {
        JobAdmin jobs = call.engine().jobs();
        Optional<JobSummary> job = jobs.find(id(call));
        if (job.isEmpty()) return missing(call);
        if (change.of(jobs)) return ChangeOutcome.done();
        if (job.get().state() != JobState.SUSPENDED)
            return ChangeOutcome.refused("{target} is " + word(job.get().state()) + ": " + why + ".");
        Cause cause = jobs.why(id(call)).get(0);
        return ChangeOutcome.refused(
                "{target}: " + cause.sentence() + (cause.remedy() == null ? "" : " " + cause.remedy()));
    }

    private static ChangeOutcome missing(OperationCall call) {
        Cause cause = call.engine().jobs().why(id(call)).get(0);
        if (!cause.code().equals("unknown")) return ChangeOutcome.missing("there is no job " + id(call));
        // Ids that were given are those of jobs whose history was removed.
        Matcher last = LAST_ID.matcher(String.valueOf(cause.detail()));
        return last.find() && Long.parseLong(last.group(1)) >= id(call)
                ? ChangeOutcome.gone(cause.sentence())
                : ChangeOutcome.missing(cause.sentence());
    }

    private static ChangeOutcome cancel(OperationCall call) {
        return switch (call.engine().jobs().cancel(id(call))) {
            case CANCELLED -> ChangeOutcome.done().with(RESULT, "cancelled");
            case ASKED ->
                ChangeOutcome.done()
                        .said("The node of {target} was told to interrupt it.")
                        .with(RESULT, "asked");
            case ENDED -> ChangeOutcome.refused("{target} has ended already.");
            case UNCLAIMED_ENTRY ->
                ChangeOutcome.refused(
                        "{target} is an entry of a log queue, which cannot be cancelled before it is claimed.");
            case NOT_FOUND -> missing(call);
        };
    }

    private static ChangeOutcome rerun(OperationCall call) {
        JobAdmin jobs = call.engine().jobs();
        Optional<JobSummary> job = jobs.find(id(call));
        if (job.isEmpty()) return missing(call);
        if (!ENDED.contains(job.get().state()))
            return ChangeOutcome.refused("{target} is " + word(job.get().state()) + ": it has not ended.");
        long added = jobs.rerun(call.transaction(), id(call), call.values().find(FROM_STEP));
        return ChangeOutcome.done()
                .said("{target} runs again as job " + added + ".")
                .with(NEW_JOB, added);
    }

    private static ChangeOutcome dropRecord(OperationCall call) {
        JobAdmin jobs = call.engine().jobs();
        Optional<JobSummary> job = jobs.find(id(call));
        if (job.isEmpty()) return missing(call);
        if (!WITH_RECORDS.contains(job.get().state()))
            return ChangeOutcome.refused(
                    "{target} is " + word(job.get().state()) + ": it neither waits nor has it failed.");
        return jobs.dropRecord(id(call), call.get(RECORD_TYPE), call.get(RECORD_NAME)) > 0
                ? ChangeOutcome.done()
                : ChangeOutcome.refused("{target} has no record {type} \"{name}\".");
    }

    private static ChangeOutcome signal(OperationCall call) {
        String given = call.values().find(PAYLOAD);
        return switch (call.engine()
                .jobs()
                .signal(call.transaction(), id(call), call.get(SIGNAL_NAME), given == null ? "null" : given)) {
            case KEPT, DUPLICATE, CREATED -> ChangeOutcome.done();
            case ENDED -> ChangeOutcome.refused("{target} has ended: nothing reads the signal.");
            case UNKNOWN -> missing(call);
        };
    }

    private static String word(JobState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }
}
