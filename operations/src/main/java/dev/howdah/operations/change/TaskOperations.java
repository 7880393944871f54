package dev.howdah.operations.change;

import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Engine;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Role;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import dev.howdah.operations.value.ChoiceValue;
import dev.howdah.operations.value.IdValue;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import dev.howdah.task.TaskTable.Cancellation;
import dev.howdah.task.TaskTable.Retry;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The operations on tasks that there are, without the one that edits their columns. */
public final class TaskOperations {
    private static final Parameter<Long> ID = Parameter.of("id", new IdValue(), "The id of the task.");

    private static final Parameter<String> RESULT = Parameter.of(
            "result",
            ChoiceValue.of("stopped", "requested"),
            "Whether it will not run, or PostgreSQL was asked to cancel its statement.");

    private static final Parameter<String> BEFORE = Parameter.of(
            "before",
            new ChoiceValue(Arrays.stream(TaskState.values()).map(Enum::name).toList()),
            "Its state before.");

    private static final Subject TASK = new Subject(
                    "task",
                    "tasks",
                    List.of(ID),
                    "/tasks/{id}",
                    "task",
                    (engine, key) -> table(engine, key).find(key.get(ID)).orElse(null))
            .with(Engine.TABLE);

    public static final Operation CANCEL = Operation.of(
                    TASK,
                    "cancel",
                    Role.OPERATOR,
                    "Cancel a task: a waiting task is stopped, of a running task PostgreSQL is asked to cancel the statement.")
            .returns(RESULT)
            .ask(
                    "Cancel {target}? If it waits, it will not run. If it runs, PostgreSQL is asked to cancel its statement,"
                            + " and what its transaction did is undone.")
            .say("{target} will not run.", "")
            .many(
                    "Cancel {target}? Those that wait will not run. Of those that run PostgreSQL is asked to cancel the"
                            + " statement.",
                    "{target} are cancelled.")
            .endsWork()
            .does(TaskOperations::cancel);

    public static final Operation RESUME = Operation.of(
                    TASK,
                    "resume",
                    Role.OPERATOR,
                    "Let a task wait again that was stopped before it had begun: for its time, or now if that has passed.")
            .say("{target} waits for its time again.", "")
            .does(call -> table(call).resumeEach(List.of(call.key(ID))) == 1
                    ? ChangeOutcome.done()
                    : refused(call, "it was not stopped before it had begun"));

    public static final Operation RETRY = Operation.of(
                    TASK, "retry", Role.OPERATOR, "Run a task that has ended again, now. Its earlier results are lost.")
            .returns(BEFORE)
            .ask("Run {target} again now? Its output and its error are replaced.")
            .say("{target} is planned for now.", "")
            .many(
                    "Run {target} again now? Their output and their errors are replaced.",
                    "{target} are planned for now.")
            .does(call -> table(call).retry(call.key(ID)) instanceof Retry.Planned planned
                    ? ChangeOutcome.done().with(BEFORE, planned.before().name())
                    : refused(call, "it has not ended"));

    public static final Operation DELETE = Operation.of(
                    TASK,
                    "delete",
                    Role.ADMINISTRATOR,
                    "Delete a task that has ended or was stopped, with its results. Tasks that it has added stay.")
            .ask("Delete {target} with its input, output and error? Tasks that it has added stay.")
            .say("{target} is deleted.", "")
            .many("Delete {target} with their input, output and errors?", "{target} are deleted.")
            .removes()
            .does(call -> table(call).delete(call.key(ID))
                    ? ChangeOutcome.done()
                    : refused(call, "it has not ended, cancel it first"));

    /** All of them. */
    public static final List<Operation> ALL = List.of(CANCEL, RESUME, RETRY, DELETE);

    /** Those that change one task only. */
    public static final List<Operation> OF_ONE = List.of(RESUME);

    private TaskOperations() {}

    /** What is done with each task by a change of many. */
    public static Operation of(TaskTable.Change change) {
        return switch (change) {
            case RETRY -> RETRY;
            case CANCEL -> CANCEL;
            case DELETE -> DELETE;
        };
    }

    /**
     * The key of a task.
     *
     * @param table such as {@code public.task}; null: the first one that is served
     */
    public static Values key(long id, @Nullable String table) {
        return Values.NONE.with(ID, id).with(Engine.TABLE, table);
    }

    private static TaskTable table(Engine engine, Values key) {
        return engine.tasks(key.find(Engine.TABLE));
    }

    private static TaskTable table(OperationCall call) {
        return table(call.engine(), call.key());
    }

    /** @param why nothing is done with a task in another state */
    private static ChangeOutcome refused(OperationCall call, String why) {
        return table(call)
                .state(call.key(ID))
                .map(state -> ChangeOutcome.refused("{target} is " + state + ": " + why + "."))
                .orElseGet(() -> missing(call));
    }

    private static ChangeOutcome missing(OperationCall call) {
        return ChangeOutcome.missing("there is no task " + call.key(ID) + ": its id is wrong, or it was deleted");
    }

    private static ChangeOutcome cancel(OperationCall call) {
        Cancellation result = table(call).cancel(call.key(ID));
        if (result instanceof Cancellation.Stopped)
            return ChangeOutcome.done().with(RESULT, "stopped").undoneBy(TaskOperations.RESUME, Values.NONE);
        if (result instanceof Cancellation.Requested)
            return ChangeOutcome.done()
                    .said("PostgreSQL was asked to cancel the statement of {target}.")
                    .with(RESULT, "requested");
        if (result instanceof Cancellation.Refused refused)
            return ChangeOutcome.refused("{target} is " + refused.state() + ": " + why(refused) + ".");
        return missing(call);
    }

    private static String why(Cancellation.Refused refused) {
        if (refused.state().ended()) return "it has already ended";
        return refused.remote()
                ? "it runs on another server, by its remote; where pg_task.cancel is on, an UPDATE of its state to STOP"
                        + " ends it, otherwise its process has to be cancelled there"
                : "it is just starting or ending, try again";
    }
}
