package dev.howdah.operations.change;

import dev.howdah.job.Schedules;
import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Role;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import dev.howdah.operations.value.IdValue;
import dev.howdah.operations.value.NameValue;
import java.sql.Connection;
import java.util.List;

/** The operations on schedules of jobs, without those that store their settings. */
public final class ScheduleOperations {
    private static final Parameter<String> NAME = Parameter.of("name", NameValue.USUAL, "The name of the schedule.");

    private static final Parameter<Long> JOB = Parameter.of("id", new IdValue(), "The id of the job.");

    private static final Subject SCHEDULE = new Subject(
            "schedule",
            "schedules",
            List.of(NAME),
            "/schedules/{name}",
            "job schedule",
            (engine, key) -> engine.schedules().find(key.get(NAME)).orElse(null));

    public static final Operation RUN_NOW = Operation.of(
                    SCHEDULE,
                    "run-now",
                    Role.OPERATOR,
                    "Add one job of a schedule now, also while it is paused or its last job has not ended. Its times stay.")
            .id("runScheduleNow")
            .returns(JOB)
            .adds()
            .ask("Add the job of {target} now? Its next time stays as it is.")
            .does(call -> {
                long job = runNow(call);
                return ChangeOutcome.done()
                        .said("Job " + job + " of {target} was added.")
                        .with(JOB, job);
            });

    public static final Operation PAUSE = Operation.of(
                    SCHEDULE, "pause", Role.OPERATOR, "Pause a schedule: it adds no jobs. Jobs that it has added stay.")
            .ask("Pause {target}? It adds no jobs until it is resumed.")
            .say("{target} is paused.", "{target} was paused already.")
            .does(call -> call.engine().schedules().pause(call.key(NAME))
                    ? ChangeOutcome.done().undoneBy(ScheduleOperations.RESUME, Values.NONE)
                    : unchanged(call));

    public static final Operation RESUME = Operation.of(
                    SCHEDULE, "resume", Role.OPERATOR, "Resume a schedule. Times during the pause are dropped.")
            .say("{target} goes on.", "{target} was not paused.")
            .does(call -> call.engine().schedules().resume(call.key(NAME))
                    ? ChangeOutcome.done().undoneBy(PAUSE, Values.NONE)
                    : unchanged(call));

    public static final Operation REMOVE = Operation.of(
                    SCHEDULE, "remove", Role.ADMINISTRATOR, "Remove a schedule. Jobs that it has added stay.")
            .ask("Remove {target}? Jobs that it has added stay.")
            .say("{target} is removed.", "")
            .removes()
            .does(call -> call.engine().schedules().remove(call.key(NAME)) ? ChangeOutcome.done() : missing(call));

    /** All of them. */
    public static final List<Operation> ALL = List.of(RUN_NOW, PAUSE, RESUME, REMOVE);

    private ScheduleOperations() {}

    /** The key of a schedule. */
    public static Values key(String name) {
        return Values.NONE.with(NAME, name);
    }

    private static long runNow(OperationCall call) {
        Schedules schedules = call.engine().schedules();
        Connection transaction = call.transaction();
        return transaction == null ? schedules.runNow(call.key(NAME)) : schedules.runNow(transaction, call.key(NAME));
    }

    private static ChangeOutcome unchanged(OperationCall call) {
        return call.engine().schedules().find(call.key(NAME)).isPresent() ? ChangeOutcome.already() : missing(call);
    }

    private static ChangeOutcome missing(OperationCall call) {
        return ChangeOutcome.missing("There is no schedule \"" + call.key(NAME) + "\"");
    }
}
