package dev.howdah.operations.change;

import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Engine;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Role;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import dev.howdah.operations.value.IdValue;
import dev.howdah.operations.value.NameValue;
import dev.howdah.task.TaskSchedules;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The operations on schedules of tasks, without the one that stores their settings. */
public final class TaskScheduleOperations {
    private static final Parameter<String> NAME = Parameter.of("name", NameValue.USUAL, "The name of the schedule.");

    private static final Parameter<String> OWNER =
            Parameter.maybe("owner", new NameValue(63), "Its owner, if not the role that connects.");

    private static final Parameter<Long> TASK =
            Parameter.of("id", new IdValue(), "The task that waits, runs or was added.");

    private static final Subject SCHEDULE = new Subject(
                    "task schedule",
                    "task-schedules",
                    List.of(NAME),
                    "/task-schedules/{name}",
                    "task schedule",
                    TaskScheduleOperations::image)
            .with(OWNER, Engine.TABLE)
            .listedOn("/schedules");

    public static final Operation RUN_NOW = Operation.of(
                    SCHEDULE,
                    "run-now",
                    Role.OPERATOR,
                    "Add a task that runs what a schedule runs, now and once. Its times stay.")
            .id("runTaskScheduleNow")
            .returns(TASK)
            .ask("Run once now what {target} runs? Its next time stays as it is.")
            .does(call -> {
                Optional<Long> task = schedules(call).run(call.key(NAME), owner(call));
                return task.map(id -> ChangeOutcome.done()
                                .said("Task " + id + " runs what {target} runs.")
                                .with(TASK, id))
                        .orElseGet(() -> missing(call));
            });

    public static final Operation PAUSE = Operation.of(
                    SCHEDULE, "pause", Role.OPERATOR, "Pause a schedule: it does not run until it is resumed.")
            .returns(TASK)
            .ask("Pause {target}? It does not run until it is resumed.")
            .say("{target} is paused.", "{target} was paused already.")
            .does(call -> {
                boolean wasPaused = isPaused(call);
                Optional<Long> task = schedules(call).pause(call.key(NAME), owner(call));
                return task.map(id -> ChangeOutcome.of(!wasPaused)
                                .with(TASK, id)
                                .undoneBy(TaskScheduleOperations.RESUME, Values.NONE))
                        .orElseGet(() -> missing(call));
            });

    public static final Operation RESUME = Operation.of(
                    SCHEDULE, "resume", Role.OPERATOR, "Resume a schedule. Times during the pause are dropped.")
            .returns(TASK)
            .say("{target} goes on.", "{target} was not paused.")
            .does(call -> {
                boolean wasPaused = isPaused(call);
                Optional<Long> task = schedules(call).resume(call.key(NAME), owner(call));
                return task.map(id -> ChangeOutcome.of(wasPaused).with(TASK, id).undoneBy(PAUSE, Values.NONE))
                        .orElseGet(() -> missing(call));
            });

    public static final Operation REMOVE = Operation.of(
                    SCHEDULE,
                    "remove",
                    Role.ADMINISTRATOR,
                    "Remove a schedule. A run that goes on ends; the tasks of earlier runs stay.")
            .returns(TASK)
            .ask("Remove {target}? Tasks of earlier runs stay.")
            .say("{target} is removed.", "")
            .removes()
            .does(call -> schedules(call)
                    .remove(call.key(NAME), owner(call))
                    .map(id -> ChangeOutcome.done().with(TASK, id))
                    .orElseGet(() -> missing(call)));

    /** All of them. */
    public static final List<Operation> ALL = List.of(RUN_NOW, PAUSE, RESUME, REMOVE);

    private TaskScheduleOperations() {}

    /**
     * The key of a schedule.
     *
     * @param owner null: the role that connects
     * @param table such as {@code public.task}
     */
    public static Values key(String name, @Nullable String owner, String table) {
        return Values.NONE.with(NAME, name).with(OWNER, owner).with(Engine.TABLE, table);
    }

    private static TaskSchedules schedules(OperationCall call) {
        return call.engine().tasks(call.key().find(Engine.TABLE)).schedules();
    }

    private static @Nullable String owner(OperationCall call) {
        return call.key().find(OWNER);
    }

    private static boolean isPaused(OperationCall call) {
        return schedules(call)
                .find(call.key(NAME), owner(call))
                .filter(each -> each.state() == TaskSchedules.State.PAUSED)
                .isPresent();
    }

    private static ChangeOutcome missing(OperationCall call) {
        String owner = owner(call);
        return ChangeOutcome.missing("There is no schedule \"" + call.key(NAME) + "\" of "
                + (owner == null ? "this role; an owner names another role" : "role " + owner));
    }

    /** A schedule as it is, without its SQL. */
    public record TaskScheduleImage(
            String name,
            @Nullable String owner,
            String cron,
            @Nullable String zone,
            TaskSchedules.State state,
            @Nullable Instant next,
            long id) {}

    private static @Nullable Record image(Engine engine, Values key) {
        return engine.tasks(key.find(Engine.TABLE))
                .schedules()
                .find(key.get(NAME), key.find(OWNER))
                .map(each -> new TaskScheduleImage(
                        each.name(), each.owner(), each.cron(), each.zone(), each.state(), each.next(), each.id()))
                .orElse(null);
    }
}
