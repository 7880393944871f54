package dev.howdah.daemon.cli.top.list;

import dev.howdah.health.Cause;
import dev.howdah.operations.Engine;
import dev.howdah.operations.change.TaskOperations;
import dev.howdah.operations.listed.TaskLists;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.task.Task;
import dev.howdah.task.TaskCounts;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Tasks, the newest first; planned ones by their plan. */
public final class TopTasks extends TopList<Task> {
    public TopTasks(Engine engine) {
        super(
                engine,
                TaskLists.TASKS,
                TaskLists.LISTED
                        .maybe("time", FieldType.TIME, "its plan, its start, or its end", TopTasks::time)
                        .of("input_or_error", FieldType.TEXT, "its error, or its SQL", TopTasks::text),
                "id state group:2 time:1 input_or_error");
    }

    private static @Nullable Instant time(Task task) {
        if (task.state() == TaskState.PLAN) return task.plan();
        return task.state().ended() ? task.stop() : task.start();
    }

    private static String text(Task task) {
        String error = task.error();
        return task.state() == TaskState.FAIL && error != null ? error : task.input();
    }

    private TaskTable table() {
        return engine().tasks(null);
    }

    @Override
    public String title() {
        return "Tasks";
    }

    @Override
    public String filterHelp() {
        return "group:NAME owner:ROLE sqlstate:CODE, or a text in input, output or error";
    }

    @Override
    String textFilter() {
        return TaskLists.TEXT_OF.name();
    }

    @Override
    String summary() {
        TaskCounts counts = table().counts();
        return TopText.capped(counts.of(TaskState.PLAN), TaskCounts.MOST_PLANNED) + " planned, "
                + TopText.count(counts.of(TaskState.WORK) + counts.of(TaskState.TAKE)) + " running, "
                + TopText.counted(counts.of(TaskState.DONE), counts.isWhole()) + " done, "
                + TopText.counted(counts.of(TaskState.FAIL), counts.isWhole()) + " failed";
    }

    @Override
    TopRow row(Task task, List<String> cells) {
        return new TopRow("", Long.toString(task.id()), TopTone.of(task.state().name()), cells);
    }

    @Override
    Optional<Task> find(TopRow row) {
        return table().find(row.number());
    }

    @Override
    List<Cause> why(Task task) {
        return task.state().ended() ? List.of() : table().why(task.id());
    }

    @Override
    public TopAction action(TopVerb verb, TopRow row) {
        return switch (verb) {
            case RETRY -> action(TaskOperations.RETRY, TaskOperations.key(row.number(), null));
            case CANCEL -> action(TaskOperations.CANCEL, TaskOperations.key(row.number(), null));
            case PAUSE -> TopAction.refused("Tasks are not paused: cancel task " + row.id() + ", and retry it later.");
        };
    }
}
