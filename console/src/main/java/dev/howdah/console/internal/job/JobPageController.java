package dev.howdah.console.internal.job;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.health.Cause;
import dev.howdah.internal.json.JsonText;
import dev.howdah.job.JobAdmin;
import dev.howdah.job.query.JobAttempt;
import dev.howdah.job.query.JobLogLine;
import dev.howdah.job.query.JobProgress;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobStep;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.wait.JobChild;
import dev.howdah.job.wait.SentSignal;
import dev.howdah.operations.change.JobOperations;
import dev.howdah.operations.read.EngineReads;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One job: {@code /jobs/{id}}. */
public final class JobPageController implements PageController {
    private static final int LOG_LINES = 200;
    private static final int SIGNALS = 100;
    private static final int CHILDREN = 100;
    private static final int CHANGES = 20;
    /** What tells errors apart must be longer. */
    private static final int SHORTEST = 6;

    private static final Pattern VARIABLE = Pattern.compile("[^\\s:/(]*\\d[^\\s:/)]*|\"[^\"]*\"|'[^']*'|\u2026");

    private static final Set<JobState> ENDED = Set.of(JobState.DONE, JobState.FAILED, JobState.CANCELLED);

    private static final Set<JobState> IDLE =
            Set.of(JobState.WAITING, JobState.PLANNED, JobState.RETRYING, JobState.SUSPENDED);

    private final ConsoleData data;
    private final EngineReads queries;

    JobPageController(ConsoleData data, EngineReads queries) {
        this.data = data;
        this.queries = queries;
    }

    /**
     * What the template shows.
     *
     * @param parent the job whose handler has added it as a child; null: none has
     * @param changes that people have made to it, the newest first
     * @param workflow that it belongs to; null: to none
     */
    public record Model(
            JobSummary job,
            List<Cause> causes,
            List<JobAttempt> attempts,
            @Nullable JobProgress progress,
            List<JobStep> steps,
            List<SentSignal> signals,
            List<JobChild> children,
            @Nullable Long parent,
            List<JobLogLine> log,
            List<ShownChange> changes,
            @Nullable Long workflow) {
        /** Whether it has failed or was cancelled, and could be retried. */
        public boolean isRetryable() {
            return job.state() == JobState.FAILED || job.state() == JobState.CANCELLED;
        }

        public boolean isEnded() {
            return ENDED.contains(job.state());
        }

        /** Whether it is suspended and waits for a signal. */
        public boolean isAwaiting() {
            return !causes.isEmpty() && causes.get(0).code().equals("awaits-signal");
        }

        /** The fields of a form that sends the signal that it waits for. */
        public Map<String, String> awaited() {
            return JobOperations.signalNamed(JsonText.field(causes.get(0).detail(), "name"))
                    .texts();
        }

        /** The list of failed jobs with the same error, but for its numbers, ids and quoted parts; null: nothing else is in its first line. */
        public @Nullable String sameError() {
            String error = job.error();
            if (error == null) return null;
            String part = new ErrorPattern(VARIABLE.matcher(Texts.line(error)).replaceAll("...")).part();
            return part == null || part.strip().length() < SHORTEST
                    ? null
                    : "/jobs?state=failed&error=" + PageRequest.encoded(part.strip());
        }

        /** Whether it waits for a time. */
        public boolean isLater() {
            return job.state() == JobState.PLANNED || job.state() == JobState.RETRYING;
        }
    }

    /**
     * What the template of the forms of a waiting job shows.
     *
     * @param job null: it does not wait
     */
    public record Change(@Nullable JobSummary job) {}

    @Override
    public Page page(PageRequest request) {
        long id = request.id();
        return new Page(
                "Job " + id,
                Section.JOBS,
                new Part("job", "job.jte", () -> model(id)),
                new Part("change", "job-change.jte", () -> new Change(idle(id))));
    }

    /** The job, if it waits; null: it does not. */
    private @Nullable JobSummary idle(long id) {
        JobSummary job = queries.installed().jobs() ? data.jobs().find(id).orElse(null) : null;
        return job != null && IDLE.contains(job.state()) ? job : null;
    }

    private Model model(long id) {
        if (!queries.installed().jobs()) throw new NotFoundException("There are no tables of jobs here.");
        JobAdmin jobs = data.jobs();
        JobSummary job = jobs.find(id).orElseThrow(() -> missing(id));
        OptionalLong parent = jobs.parent(id);
        return new Model(
                job,
                ENDED.contains(job.state()) ? List.of() : jobs.why(id),
                jobs.attempts(id),
                jobs.progress(id).orElse(null),
                jobs.steps(id),
                jobs.signals(id, SIGNALS),
                jobs.children(id, CHILDREN),
                parent.isPresent() ? parent.getAsLong() : null,
                jobs.log(id, LOG_LINES),
                data.audit().of("jobs/" + id, CHANGES).stream()
                        .filter(each -> each.outcome().equals("done"))
                        .map(ShownChange::of)
                        .toList(),
                queries.workflowOf(id));
    }

    private NotFoundException missing(long id) {
        List<Cause> causes = data.jobs().why(id);
        return new NotFoundException(
                causes.get(0).code().equals("unknown") ? causes.get(0).sentence() : "There is no job " + id + ".");
    }
}
