package dev.howdah.console.internal.sweep;

import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.sweep.SweepBuilder;
import dev.howdah.sweep.SweepException;

/** Starts the sweep of the form that was checked. A sweep of that name with another definition is refused. */
final class StartSweep implements PageAction {
    private final SweepFormPage page;
    private final StartedSweeps started;

    StartSweep(SweepFormPage page, StartedSweeps started) {
        this.page = page;
        this.started = started;
    }

    @Override
    public ActionResult run(ActionRequest request) {
        SweepForm form = SweepForm.read(request::field, request.page().names().get("name"));
        SweepBuilder builder = form.builder(started.sessions());
        if (builder == null)
            throw new BadRequestException("Nothing was started: "
                    + String.join("; ", form.fields().errors().values()) + ".");
        String refusal = page.refusal(form);
        if (refusal != null) throw new BadRequestException("Nothing was started: " + refusal + ".");
        try {
            return new ActionResult(
                    "Sweep " + form.name() + " is worked on here.",
                    SweepPages.path(form.name()),
                    started.start(form.name(), form.workers(), builder));
        } catch (SweepException e) {
            throw new BadRequestException("Nothing was started: " + SweepForm.said(e) + ".");
        }
    }
}
