package dev.howdah.console.internal.sweep;

import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.sweep.SweepBuilder;

/** Starts the sweep of the form that was checked. A sweep of that name with another definition is refused. */
final class StartSweep implements PageAction {
    private final SweepLauncher launcher;

    StartSweep(SweepLauncher launcher) {
        this.launcher = launcher;
    }

    @Override
    public ActionResult run(ActionRequest request) {
        SweepForm form = SweepForm.read(request::field, request.page().names().get("name"));
        SweepBuilder builder = form.builder(launcher.started().sessions());
        if (builder == null)
            throw new BadRequestException("Nothing was started: "
                    + String.join("; ", form.fields().errors().values()) + ".");
        return new ActionResult(
                "Sweep " + form.name() + " is worked on here.",
                SweepPages.path(form.name()),
                launcher.start(form, builder));
    }
}
