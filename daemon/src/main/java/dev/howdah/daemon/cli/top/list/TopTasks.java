package dev.howdah.daemon.cli.top.list;

import dev.howdah.task.Task;
import dev.howdah.task.TaskCounts;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import dev.howdah.task.TaskTable.Cancellation;
import dev.howdah.task.TaskTable.Retry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Tasks, the newest first; planned ones by their plan. */
public final class TopTasks implements TopView {
    private static final List<TopColumn> COLUMNS = List.of(
            TopColumn.number("ID", 0),
            TopColumn.text("STATE", 0, 5),
            TopColumn.text("GROUP", 2, 16),
            TopColumn.number("TIME", 1),
            TopColumn.rest("INPUT OR ERROR", 0));

    private final TaskTable table;
    private final String name;

    /** @param name of the table, for people */
    public TopTasks(TaskTable table, String name) {
        this.table = table;
        this.name = name;
    }

    @Override
    public String title() {
        return "Tasks";
    }

    @Override
    public List<String> states() {
        return Stream.concat(
                        Stream.of("all"),
                        Arrays.stream(TaskState.values())
                                .map(each -> each.name().toLowerCase(Locale.ROOT)))
                .toList();
    }

    @Override
    public String filterHelp() {
        return "a text in input, output or error";
    }

    @Override
    public TopPage read(String state, String filter, int limit, Instant now) {
        TaskState only = state.equals("all") ? null : TaskState.valueOf(state.toUpperCase(Locale.ROOT));
        TaskQuery query = TaskQuery.all()
                .state(only)
                .text(filter.isEmpty() ? null : filter)
                .limit(limit);
        List<TopRow> rows =
                table.list(query).tasks().stream().map(each -> row(each, now)).toList();
        return new TopPage(summary(), COLUMNS, rows, "No task of " + name + " matches.");
    }

    private String summary() {
        TaskCounts counts = table.counts();
        return TopText.capped(counts.of(TaskState.PLAN), TaskCounts.MOST_PLANNED) + " planned, "
                + TopText.count(counts.of(TaskState.WORK) + counts.of(TaskState.TAKE)) + " running, "
                + TopText.counted(counts.of(TaskState.DONE), counts.isWhole()) + " done, "
                + TopText.counted(counts.of(TaskState.FAIL), counts.isWhole()) + " failed";
    }

    private static TopRow row(Task task, Instant now) {
        boolean failed = task.state() == TaskState.FAIL;
        return new TopRow(
                "",
                Long.toString(task.id()),
                tone(task.state()),
                List.of(
                        Long.toString(task.id()),
                        task.state().name(),
                        TopText.line(task.group()),
                        TopText.age(time(task), now),
                        TopText.line(failed && task.error() != null ? task.error() : task.input())));
    }

    /** Its plan, its start, or its end. */
    private static @Nullable Instant time(Task task) {
        if (task.state() == TaskState.PLAN) return task.plan();
        return task.state().ended() ? task.stop() : task.start();
    }

    private static TopTone tone(TaskState state) {
        return switch (state) {
            case PLAN, GONE, STOP -> TopTone.WAITING;
            case TAKE, WORK -> TopTone.RUNNING;
            case DONE -> TopTone.DONE;
            case FAIL -> TopTone.FAILED;
        };
    }

    @Override
    public List<String> details(TopRow row, Instant now) {
        Task task = table.find(row.number()).orElse(null);
        if (task == null) return List.of(missing(row));
        List<String> lines = new ArrayList<>(TopText.pairs(
                "task",
                row.id() + " of " + name,
                "state",
                task.state().name(),
                "group",
                task.group(),
                "owner",
                task.owner(),
                "plan",
                TopText.time(task.plan()),
                "start",
                TopText.time(task.start()),
                "stop",
                TopText.time(task.stop())));
        if (!task.state().ended()) TopText.add(lines, table.why(task.id()));
        TopText.add(lines, "Error", task.error());
        TopText.add(lines, "Input", task.input());
        TopText.add(lines, "Output", task.output());
        return lines;
    }

    @Override
    public TopAction action(TopVerb verb, TopRow row) {
        return switch (verb) {
            case RETRY ->
                new TopAction(
                        "Run task " + row.id() + " again now? Its output and error are replaced.", () -> retry(row));
            case CANCEL ->
                new TopAction(
                        "Cancel task " + row.id() + "? What it does now is undone; if it waits, it will not run.",
                        () -> cancel(row));
            case PAUSE -> TopAction.refused("Tasks are not paused: cancel task " + row.id() + ", and retry it later.");
        };
    }

    private String retry(TopRow row) {
        Retry result = table.retry(row.number());
        if (result instanceof Retry.Planned) return "Task " + row.id() + " is planned for now.";
        if (result instanceof Retry.Refused refused)
            return "Task " + row.id() + " was not changed: it has not ended, its state is " + refused.state() + ".";
        return missing(row);
    }

    private String cancel(TopRow row) {
        Cancellation result = table.cancel(row.number());
        if (result instanceof Cancellation.Stopped) return "Task " + row.id() + " will not run.";
        if (result instanceof Cancellation.Requested)
            return "PostgreSQL was asked to cancel the statement of task " + row.id() + ".";
        if (result instanceof Cancellation.Refused refused)
            return "Task " + row.id() + " was not changed: "
                    + (refused.remote() ? "it runs on another server." : "its state is " + refused.state() + ".");
        return missing(row);
    }

    private static String missing(TopRow row) {
        return "There is no task " + Objects.requireNonNull(row.id()) + " any more.";
    }
}
