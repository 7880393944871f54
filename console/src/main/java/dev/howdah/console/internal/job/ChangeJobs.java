package dev.howdah.console.internal.job;

import dev.howdah.console.internal.bulk.BulkPages;
import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.ActionResult.Undo;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.StateBadge;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.job.JobsException;
import dev.howdah.job.query.BulkChange;
import dev.howdah.job.query.BulkChange.Action;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.operations.Operation;
import dev.howdah.operations.Role;
import dev.howdah.operations.Values;
import dev.howdah.operations.change.JobOperations;
import dev.howdah.operations.listed.JobLists;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Changes jobs of the list: those that were selected at once, all that match its filter in the background. */
final class ChangeJobs implements PageAction {
    /** The parameters of the list that are its filter. */
    static final List<String> FILTER = JobLists.JOBS.choiceNames();

    /** That many are counted in any case, all only if that takes little time. */
    private static final long SURELY_COUNTED = 10_000;

    private final ConsoleData data;
    private final BulkRuns runs;

    ChangeJobs(ConsoleData data, BulkRuns runs) {
        this.data = data;
        this.runs = runs;
    }

    /**
     * What was chosen.
     *
     * @param ids of those that were selected; empty: all that match
     * @param queue to which they are moved
     */
    private record Choice(
            Action action,
            List<Long> ids,
            JobQuery query,
            String back,
            @Nullable String queue) {
        Operation operation() {
            return JobOperations.of(action);
        }

        /** The values of the parameters of the operation. */
        Values values() {
            return Values.NONE.with(JobOperations.TO, queue);
        }

        /** Such as {@code all 1,234 failed jobs of queue mail}. */
        String objects(@Nullable Count count) {
            if (ids.size() == 1) return "job " + ids.get(0);
            if (!ids.isEmpty()) return Numbers.count(ids.size()) + " jobs";
            Long known = count != null && count.all() ? Long.valueOf(count.jobs()) : null;
            StringBuilder text = new StringBuilder(Numbers.all(known));
            text.append(StateBadge.of(query.state()).word()).append(known != null && known == 1 ? " job" : " jobs");
            text.append(JobLists.words(query));
            if (count != null && !count.all())
                text.append(" (").append(Numbers.count(count.jobs())).append(" or more)");
            return text.toString();
        }
    }

    /**
     * How many jobs match.
     *
     * @param all whether there are no more
     */
    private record Count(long jobs, boolean all) {}

    private Choice choice(ActionRequest request) {
        PageRequest list = request.list("/jobs", FILTER);
        JobQuery query = JobListPage.query(list, data);
        Action action = action(request.field("action"), query.state());
        boolean all = request.field("all") != null;
        List<Long> ids = all ? List.of() : request.ids();
        if (!all && ids.isEmpty())
            throw new BadRequestException("No job was selected: select rows of the list, or all that match.");
        if (all && query.state() == JobState.RUNNING)
            throw new BadRequestException("Running jobs are cancelled by selecting them, not all at once.");
        if (all && query.node() != null)
            throw new BadRequestException("Jobs of one node are changed by selecting them, not all at once.");
        String queue = action == Action.MOVE ? request.field("to") : null;
        if (action == Action.MOVE && queue == null)
            throw new BadRequestException("To move jobs, type the name of the queue that they are moved to.");
        return new Choice(action, ids, query, list.address(), queue);
    }

    private static Action action(@Nullable String name, JobState state) {
        for (Action each : JobOperations.actions(state).keySet())
            if (each.name().toLowerCase(Locale.ROOT).equals(name)) return each;
        throw new BadRequestException("\"" + name + "\" cannot be done with jobs that are "
                + StateBadge.of(state).word() + ".");
    }

    @Override
    public Role needed(ActionRequest request, Role declared) {
        for (Action each : Action.values())
            if (Texts.word(each).equals(request.field("action")))
                return JobOperations.of(each).role();
        return declared;
    }

    @Override
    public String question(ActionRequest request) {
        Choice choice = choice(request);
        Count count = choice.ids().isEmpty() ? count(request, choice.query()) : null;
        String objects = choice.objects(count);
        boolean one = choice.ids().size() == 1 || count != null && count.all() && count.jobs() == 1;
        return choice.operation().question(objects, one, choice.values());
    }

    @Override
    public String proof(ActionRequest request) {
        Choice choice = choice(request);
        if (!choice.ids().isEmpty()) return "";
        Count count = count(request, choice.query());
        return BulkPages.proof(count == null || !count.all() ? null : count.jobs());
    }

    private @Nullable Count count(ActionRequest request, JobQuery query) {
        Long some = request.counted("some", () -> counted(query, SURELY_COUNTED));
        if (some == null) return null;
        if (some < SURELY_COUNTED) return new Count(some, true);
        // There may be too many to be counted in time.
        Long all = request.counted("all", () -> counted(query, null));
        return all == null ? new Count(some, false) : new Count(all, true);
    }

    /** @param most null: all are counted */
    private @Nullable Long counted(JobQuery query, @Nullable Long most) {
        try {
            return most == null ? data.jobs().count(query) : data.jobs().count(query, most);
        } catch (JobsException e) {
            return null;
        }
    }

    @Override
    public ActionResult run(ActionRequest request) {
        Choice choice = choice(request);
        if (choice.ids().isEmpty()) return begin(request, choice);
        String queue = choice.queue();
        long changed = queue == null
                ? data.jobs().changeEach(choice.action(), choice.ids())
                : data.jobs().moveEach(choice.ids(), queue);
        long left = choice.ids().size() - changed;
        String said = choice.operation()
                .done(Numbers.of(changed, "job", "jobs"), changed == 1, choice.values())
                .replaceFirst("\\.$", "");
        return new ActionResult(
                        said + (left == 0 ? "." : "; " + Numbers.count(left) + " could not be changed."), choice.back())
                .undoneBy(left == 0 ? undo(choice) : null);
    }

    /** Jobs that were all moved out of one queue can be moved back; null: it cannot be taken back. */
    private static @Nullable Undo undo(Choice choice) {
        JobQuery query = choice.query();
        String from = query.queue();
        if (choice.action() != Action.MOVE || from == null || from.equals(choice.queue())) return null;
        Map<String, List<String>> form = new LinkedHashMap<>();
        form.put("action", List.of("move"));
        form.put("to", List.of(from));
        form.put("state", List.of(Texts.word(query.state())));
        form.put("id", choice.ids().stream().map(String::valueOf).toList());
        return new Undo("/jobs/change", form);
    }

    private ActionResult begin(ActionRequest request, Choice choice) {
        JobQuery query = choice.query();
        BulkChange change = new BulkChange(choice.action(), query, choice.queue());
        String title = choice.operation().label() + " " + choice.objects(null)
                + (choice.queue() == null ? "" : " to queue " + choice.queue());
        Count count = count(request, query);
        Long expected = count != null && count.all() ? Long.valueOf(count.jobs()) : null;
        return BulkPages.started(
                runs.start(title, choice.back(), expected, run -> data.jobs().change(change, run::step)));
    }
}
