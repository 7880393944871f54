package dev.howdah.console.internal.task;

import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.task.TaskTable;
import dev.howdah.task.TaskTable.Cancellation;
import dev.howdah.task.TaskTable.Retry;
import java.util.List;
import java.util.Locale;

/** The buttons of a task. */
final class TaskActions {
    private final TaskTables tables;

    TaskActions(TaskTables tables) {
        this.tables = tables;
    }

    private interface Change {
        Done change(TaskTable table, long id);
    }

    /**
     * What was done.
     *
     * @param isStopped whether a task that waited was cancelled, which can be taken back
     */
    private record Done(String sentence, boolean isStopped) {
        static Done of(String sentence) {
            return new Done(sentence, false);
        }
    }

    private PageAction action(String question, Change change, boolean stays) {
        return new PageAction() {
            @Override
            public String question(ActionRequest request) {
                return question.formatted(request.id());
            }

            @Override
            public ActionResult run(ActionRequest request) {
                TableName table = tables.of(request.page());
                long id = request.id();
                Done done = change.change(tables.table(request.page()), id);
                return new ActionResult(done.sentence(), stays ? tables.path(table, id) : "/tasks")
                        .undoneBy(done.isStopped() ? ResumeTasks.undo(table, List.of(id)) : null);
            }
        };
    }

    PageAction retry() {
        return action(
                "Run task %d again now? Its output and its error are replaced.",
                (table, id) -> {
                    Retry result = table.retry(id);
                    if (result instanceof Retry.Planned) return Done.of("Task " + id + " is planned for now.");
                    if (result instanceof Retry.Refused refused)
                        return Done.of("Task " + id + " was not changed: it has not ended, its state is "
                                + refused.state() + ".");
                    return Done.of(missing(id));
                },
                true);
    }

    PageAction cancel() {
        return action(
                "Cancel task %d? If it waits, it will not run. If it runs, PostgreSQL is asked to cancel its statement,"
                        + " and what its transaction did is undone.",
                (table, id) -> {
                    Cancellation result = table.cancel(id);
                    if (result instanceof Cancellation.Stopped) return new Done("Task " + id + " will not run.", true);
                    if (result instanceof Cancellation.Requested)
                        return Done.of("PostgreSQL was asked to cancel the statement of task " + id + ".");
                    if (result instanceof Cancellation.Refused refused)
                        return Done.of("Task " + id + " was not changed: it "
                                + (refused.remote()
                                        ? "runs on another server; STOP is for that"
                                        : "is " + refused.state().name().toLowerCase(Locale.ROOT))
                                + ".");
                    return Done.of(missing(id));
                },
                true);
    }

    PageAction delete() {
        return action(
                "Delete task %d with its input, output and error? Tasks that it has added stay.",
                (table, id) -> Done.of(
                        table.delete(id)
                                ? "Task " + id + " is deleted."
                                : "Task " + id + " was not deleted: it waits or runs, or it is not there any more."),
                false);
    }

    private static String missing(long id) {
        return "There is no task " + id + " any more.";
    }
}
