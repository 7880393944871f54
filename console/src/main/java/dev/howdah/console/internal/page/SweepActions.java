package dev.howdah.console.internal.page;

import dev.howdah.console.internal.data.ConsoleData;

/** The buttons of a sweep. */
final class SweepActions {
    private final ConsoleData data;

    SweepActions(ConsoleData data) {
        this.data = data;
    }

    private static String path(String name) {
        return "/sweeps/" + PageRequest.encoded(name);
    }

    Action pause() {
        return new NamedAction("name", "Pause sweep %s? Rows that are in work are finished.", name -> {
            boolean changed = data.sweeps().pause(name);
            return new ActionResult(
                    "Sweep " + name + (changed ? " is paused." : " was not changed: it does not run."), path(name));
        });
    }

    Action resume() {
        return new NamedAction("name", "", name -> {
            boolean changed = data.sweeps().resume(name);
            return new ActionResult("Sweep " + name + (changed ? " goes on." : " was not paused."), path(name));
        });
    }

    Action stop() {
        return new NamedAction(
                "name",
                "Stop sweep %s? Its processes end; rows that are done stay marked, and it can be started again.",
                name -> {
                    boolean changed = data.sweeps().stop(name);
                    return new ActionResult(
                            "Sweep " + name + (changed ? " is stopped." : " was not changed: it has ended."),
                            path(name));
                });
    }

    Action retryFailed() {
        return new NamedAction("name", "Try the failed rows of sweep %s again, from their first attempt on?", name -> {
            long rows = data.sweeps().retryFailed(name);
            return new ActionResult(rows + " rows of sweep " + name + " are tried again.", path(name));
        });
    }

    Action remove() {
        return new NamedAction(
                "name",
                "Remove sweep %s with its progress and its errors? The rows of its table stay as they are.",
                name -> {
                    boolean removed = data.sweeps().remove(name);
                    return new ActionResult(
                            removed
                                    ? "Sweep " + name + " is removed."
                                    : "Sweep " + name + " was not removed: it runs, or is gone.",
                            removed ? "/sweeps" : path(name));
                });
    }
}
