package dev.howdah.console.internal.schedule;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.ActionResult.Undo;
import dev.howdah.console.internal.page.NamedAction;
import dev.howdah.console.internal.page.PageAction;

/** The buttons of a schedule. */
final class ScheduleActions {
    private final ConsoleData data;

    ScheduleActions(ConsoleData data) {
        this.data = data;
    }

    PageAction runNow() {
        return new NamedAction("name", "Add the job of schedule %s now? Its next time stays as it is.", name -> {
            long job = data.schedules().runNow(name);
            return new ActionResult("Job " + job + " of schedule " + name + " is added.", SchedulePages.path(name));
        });
    }

    PageAction pause() {
        return new NamedAction("name", "Pause schedule %s? It adds no jobs until it is resumed.", name -> {
            boolean changed = data.schedules().pause(name);
            return new ActionResult(
                            "Schedule " + name + (changed ? " is paused." : " was paused already, or is gone."),
                            SchedulePages.path(name))
                    .undoneBy(changed ? Undo.by(SchedulePages.path(name) + "/resume") : null);
        });
    }

    PageAction resume() {
        return new NamedAction("name", "", name -> {
            boolean changed = data.schedules().resume(name);
            return new ActionResult(
                            "Schedule " + name + (changed ? " goes on." : " was not paused, or is gone."),
                            SchedulePages.path(name))
                    .undoneBy(changed ? Undo.by(SchedulePages.path(name) + "/pause") : null);
        });
    }

    PageAction remove() {
        return new NamedAction("name", "Remove schedule %s? Jobs that it has added stay.", name -> {
            boolean removed = data.schedules().remove(name);
            return new ActionResult(
                    removed ? "Schedule " + name + " is removed." : "There is no schedule " + name + " any more.",
                    "/schedules");
        });
    }
}
