package dev.howdah.console.internal.sweep;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.ActionResult.Undo;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.NamedAction;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.SweepProgress;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The buttons and the form of a sweep. */
final class SweepActions {
    private final ConsoleData data;

    SweepActions(ConsoleData data) {
        this.data = data;
    }

    private static String path(String name) {
        return SweepPages.path(name);
    }

    /** Sets the limit of the field {@code rows}; empty: none. */
    PageAction throttle() {
        return new PageAction() {
            @Override
            public String question(ActionRequest request) {
                return "";
            }

            @Override
            public ActionResult run(ActionRequest request) {
                String name = request.page().name("name");
                double rows = rows(request.field("rows"));
                double before =
                        data.sweeps().find(name).map(SweepProgress::throttle).orElse(0.0);
                boolean changed = data.sweeps().throttle(name, rows);
                String limit = rows == 0 ? "no limit" : "a limit of " + Numbers.rate(rows);
                return new ActionResult(
                                "Sweep " + name + (changed ? " has " + limit + " now." : " has " + limit + " already."),
                                path(name))
                        .undoneBy(
                                changed
                                        ? Undo.by(
                                                path(name) + "/throttle",
                                                Map.of("rows", before == 0 ? "" : Numbers.plain(before)))
                                        : null);
            }
        };
    }

    /** An action that says why nothing was changed. */
    private static PageAction named(String question, Function<String, ActionResult> change) {
        return new NamedAction("name", question, name -> {
            try {
                return change.apply(name);
            } catch (SweepException e) {
                return new ActionResult("Nothing was changed: " + Texts.line(e.getMessage()) + ".", path(name));
            }
        });
    }

    /** @throws BadRequestException if it is no number */
    static double rows(@Nullable String text) {
        if (text == null) return 0;
        String plain = text.strip();
        if (plain.matches("\\d{1,9}(\\.\\d{1,6})?")) return Double.parseDouble(plain);
        throw new BadRequestException(
                "Rows a second is \"" + text + "\": it has to be a number such as 200 or 0.5, or empty for no limit.");
    }

    PageAction pause() {
        return named(
                "Pause sweep %s? Rows that are in work are finished.",
                name -> {
                    boolean changed = data.sweeps().pause(name);
                    return new ActionResult(
                                    "Sweep " + name + (changed ? " is paused." : " was not changed: it does not run."),
                                    path(name))
                            .undoneBy(changed ? Undo.by(path(name) + "/resume") : null);
                });
    }

    PageAction resume() {
        return named("", name -> {
            boolean changed = data.sweeps().resume(name);
            return new ActionResult("Sweep " + name + (changed ? " goes on." : " was not paused."), path(name))
                    .undoneBy(changed ? Undo.by(path(name) + "/pause") : null);
        });
    }

    PageAction stop() {
        return named(
                "Stop sweep %s? Its processes end; rows that are done stay marked, and it can be started again.",
                name -> {
                    boolean changed = data.sweeps().stop(name);
                    return new ActionResult(
                            "Sweep " + name + (changed ? " is stopped." : " was not changed: it has ended."),
                            path(name));
                });
    }

    PageAction retryFailed() {
        return named(
                "Try the failed rows of sweep %s again, from their first attempt on?",
                name -> {
                    long rows = data.sweeps().retryFailed(name);
                    return new ActionResult(
                            Numbers.count(rows) + (rows == 1 ? " row" : " rows") + " of sweep " + name
                                    + " will be tried again.",
                            path(name));
                });
    }

    PageAction remove() {
        return named(
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
