package dev.howdah.console.internal.job;

import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.job.NewJob;
import dev.howdah.operations.read.AddedJob;
import dev.howdah.operations.read.EngineReads;

/** Adds the job of the form that was checked. */
final class AddJob implements PageAction {
    private final EngineReads queries;

    AddJob(EngineReads queries) {
        this.queries = queries;
    }

    @Override
    public ActionResult run(ActionRequest request) {
        JobForm form = JobForm.read(request::field);
        NewJob<String> job = form.job();
        if (job == null)
            throw new BadRequestException("Nothing was added: "
                    + String.join("; ", form.fields().errors().values()) + ".");
        AddedJob added = queries.addJob(job);
        return new ActionResult(
                added.isNew()
                        ? "Job " + added.id() + " is added."
                        : "Nothing was added: job " + added.id() + " has this key, and waits or runs.",
                "/jobs/" + added.id());
    }
}
