package dev.howdah.console.internal.task;

import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.ActionResult.Undo;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.task.TaskSchedules;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The buttons of a schedule of tasks. */
final class TaskScheduleActions {
    private final TaskTables tables;

    TaskScheduleActions(TaskTables tables) {
        this.tables = tables;
    }

    private interface Change {
        Optional<Long> of(TaskSchedules schedules, String name, @Nullable String owner);
    }

    private PageAction action(String question, String done, Change change) {
        return action(question, done, change, "");
    }

    /** @param back the action that takes it back; empty: none does */
    private PageAction action(String question, String done, Change change, String back) {
        return new PageAction() {
            @Override
            public String question(ActionRequest request) {
                return question.replace("%s", request.page().name("name"));
            }

            @Override
            public ActionResult run(ActionRequest request) {
                String name = request.page().name("name");
                Optional<Long> id = change.of(
                        tables.table(request.page()).schedules(),
                        name,
                        request.page().text("owner"));
                return new ActionResult(
                                id.isPresent()
                                        ? done.replace("%s", name).replace("%d", Long.toString(id.get()))
                                        : "There is no schedule " + name + " any more.",
                                "/schedules")
                        .undoneBy(id.isEmpty() || back.isEmpty() ? null : Undo.by(other(request.page(), back)));
            }
        };
    }

    /** The address of another action with the same schedule. */
    private static String other(PageRequest request, String verb) {
        String path = request.path();
        return PageRequest.address(path.substring(0, path.lastIndexOf('/') + 1) + verb, request.query());
    }

    PageAction runNow() {
        return action(
                "Run once now what schedule %s runs? Its next time stays as it is.",
                "Task %d runs what schedule %s runs.", TaskSchedules::run);
    }

    PageAction pause() {
        return action(
                "Pause schedule %s? It does not run until it is resumed.",
                "Schedule %s is paused.", TaskSchedules::pause, "resume");
    }

    PageAction resume() {
        return action("", "Schedule %s goes on.", TaskSchedules::resume, "pause");
    }

    PageAction remove() {
        return action(
                "Remove schedule %s? Tasks of earlier runs stay.", "Schedule %s is removed.", TaskSchedules::remove);
    }
}
