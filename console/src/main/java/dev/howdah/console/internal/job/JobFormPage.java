package dev.howdah.console.internal.job;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.form.FormFields;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.job.NewJob;
import dev.howdah.job.query.JobSummary;
import dev.howdah.operations.read.AddedJob;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.read.ReadException;
import org.jspecify.annotations.Nullable;

/** The form of a new job: {@code /jobs/new}, with what job 7 has {@code /jobs/new?from=7}. It is checked before it can be added. */
public final class JobFormPage implements PageController {
    private final ConsoleData data;
    private final EngineReads queries;

    JobFormPage(ConsoleData data, EngineReads queries) {
        this.data = data;
        this.queries = queries;
    }

    /**
     * What the template shows.
     *
     * @param added what would happen to the job; null: it was not checked, or something is wrong
     * @param refusal what the database says, where that is about no field; null: nothing
     */
    public record Model(
            boolean isInstalled,
            FormFields fields,
            @Nullable NewJob<String> job,
            @Nullable AddedJob added,
            @Nullable String refusal) {}

    @Override
    public Page page(PageRequest request) {
        return new Page("New job", Section.JOBS, new Part("form", "job-form.jte", () -> model(request))).still();
    }

    private Model model(PageRequest request) {
        if (!queries.installed().jobs()) return new Model(false, JobForm.empty().fields(), null, null, null);
        if (request.text("check") == null) {
            long from = request.number("from", 0, 1, Long.MAX_VALUE);
            FormFields fields = from == 0
                    ? JobForm.empty().fields()
                    : JobForm.of(find(from)).fields();
            String queue = request.text("queue");
            if (queue != null) fields.set("queue", queue);
            return new Model(true, fields, null, null, null);
        }
        JobForm form = JobForm.read(request::text);
        NewJob<String> job = form.job();
        if (job == null) return new Model(true, form.fields(), null, null, null);
        try {
            return new Model(true, form.fields(), job, queries.tryJob(job), null);
        } catch (ReadException e) {
            return new Model(true, form.fields(), null, null, e.getMessage());
        }
    }

    private JobSummary find(long id) {
        return data.jobs()
                .find(id)
                .orElseThrow(() -> new NotFoundException("There is no job " + id + " to copy any more."));
    }
}
