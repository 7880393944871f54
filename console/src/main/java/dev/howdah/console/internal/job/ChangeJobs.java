package dev.howdah.console.internal.job;

import dev.howdah.console.internal.access.Role;
import dev.howdah.console.internal.bulk.BulkPages;
import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.StateBadge;
import dev.howdah.job.JobsException;
import dev.howdah.job.query.BulkChange;
import dev.howdah.job.query.BulkChange.Action;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Changes jobs of the list: those that were selected at once, all that match its filter in the background. */
final class ChangeJobs implements PageAction {
    /** The parameters of the list that are its filter. */
    static final List<String> FILTER = List.of("state", "queue", "kind", "key", "tag", "error", "since");

    /** That many are counted in any case, all only if that takes little time. */
    private static final long SURELY_COUNTED = 10_000;

    private final ConsoleData data;
    private final ConsoleQueries queries;
    private final BulkRuns runs;

    ChangeJobs(ConsoleData data, ConsoleQueries queries, BulkRuns runs) {
        this.data = data;
        this.queries = queries;
        this.runs = runs;
    }

    /** The actions for jobs in a state, and the words of their buttons. */
    static Map<Action, String> actions(JobState state) {
        Map<Action, String> actions = new LinkedHashMap<>();
        switch (state) {
            case FAILED, CANCELLED -> {
                actions.put(Action.RETRY, "Retry");
                actions.put(Action.DELETE, "Delete");
            }
            case PLANNED, RETRYING -> {
                actions.put(Action.RUN_NOW, "Run now");
                actions.put(Action.CANCEL, "Cancel");
                actions.put(Action.MOVE, "Move");
            }
            case WAITING -> {
                actions.put(Action.CANCEL, "Cancel");
                actions.put(Action.MOVE, "Move");
            }
            case RUNNING -> actions.put(Action.CANCEL, "Cancel");
            default -> {}
        }
        return actions;
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
        /** Such as {@code all 1,234 failed jobs of queue mail}. */
        String objects(@Nullable Count count) {
            if (ids.size() == 1) return "job " + ids.get(0);
            if (!ids.isEmpty()) return Numbers.count(ids.size()) + " jobs";
            StringBuilder text = new StringBuilder("all ");
            if (count != null && count.all())
                text.append(Numbers.count(count.jobs())).append(' ');
            text.append(StateBadge.of(query.state()).word()).append(" jobs");
            if (query.queue() != null) text.append(" of queue ").append(query.queue());
            if (query.kind() != null) text.append(" of kind ").append(query.kind());
            if (query.key() != null) text.append(" with key ").append(query.key());
            for (String tag : query.tags()) text.append(" with tag ").append(tag);
            if (query.error() != null)
                text.append(" with \"").append(query.error()).append("\" in the error");
            if (query.from() != null) text.append(" since ").append(query.from());
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
        JobQuery query = JobListPage.query(list);
        Action action = action(request.field("action"), query.state());
        boolean all = request.field("all") != null;
        List<Long> ids = all ? List.of() : request.ids();
        if (!all && ids.isEmpty())
            throw new BadRequestException("No job was selected: select rows of the list, or all that match.");
        if (all && query.state() == JobState.RUNNING)
            throw new BadRequestException("Running jobs are cancelled by selecting them, not all at once.");
        String queue = action == Action.MOVE ? request.field("to") : null;
        if (action == Action.MOVE && queue == null)
            throw new BadRequestException("To move jobs, type the name of the queue that they are moved to.");
        return new Choice(action, ids, query, list.address(), queue);
    }

    private static Action action(@Nullable String name, JobState state) {
        for (Action each : actions(state).keySet())
            if (each.name().toLowerCase(Locale.ROOT).equals(name)) return each;
        throw new BadRequestException("\"" + name + "\" cannot be done with jobs that are "
                + StateBadge.of(state).word() + ".");
    }

    @Override
    public Role role(ActionRequest request) {
        return "delete".equals(request.field("action")) ? Role.ADMINISTRATOR : Role.OPERATOR;
    }

    @Override
    public String question(ActionRequest request) {
        Choice choice = choice(request);
        String objects = choice.objects(choice.ids().isEmpty() ? count(choice.query()) : null);
        return switch (choice.action()) {
            case RETRY -> "Retry " + objects + "? They begin anew, with all their attempts.";
            case RUN_NOW -> "Make " + objects + " due now?";
            case CANCEL ->
                choice.query().state() == JobState.RUNNING
                        ? "Cancel " + objects
                                + "? Their nodes are told to interrupt them, and they may be done all the same."
                        : "Cancel " + objects + "? They will not run, and can be retried.";
            case MOVE ->
                "Move " + objects + " to queue " + choice.queue()
                        + "? Those with a key or an order key stay where they are.";
            case DELETE -> "Delete " + objects + " with their payloads and keys? Their history stays.";
        };
    }

    @Override
    public String proof(ActionRequest request) {
        Choice choice = choice(request);
        if (!choice.ids().isEmpty()) return "";
        Count count = count(choice.query());
        return BulkPages.proof(count == null || !count.all() ? null : count.jobs());
    }

    private @Nullable Count count(JobQuery query) {
        Count some = null;
        try {
            long jobs = data.jobs().count(query, SURELY_COUNTED);
            some = new Count(jobs, jobs < SURELY_COUNTED);
            return some.all() ? some : new Count(data.jobs().count(query), true);
        } catch (JobsException e) {
            // There are too many to be counted in time.
            return some;
        }
    }

    @Override
    public ActionResult run(ActionRequest request) {
        Choice choice = choice(request);
        if (choice.ids().isEmpty()) return begin(choice);
        String queue = choice.queue();
        long changed = queue == null
                ? data.jobs().changeEach(choice.action(), choice.ids())
                : data.jobs().moveEach(choice.ids(), queue);
        long left = choice.ids().size() - changed;
        String jobs = Numbers.count(changed) + (changed == 1 ? " job " : " jobs ");
        boolean one = changed == 1;
        String said = jobs
                + switch (choice.action()) {
                    case RETRY -> one ? "waits to run again" : "wait to run again";
                    case RUN_NOW -> one ? "is due now" : "are due now";
                    case CANCEL ->
                        choice.query().state() == JobState.RUNNING
                                ? "will be interrupted"
                                : one ? "is cancelled" : "are cancelled";
                    case MOVE -> (one ? "is in queue " : "are in queue ") + queue + " now";
                    case DELETE -> one ? "is deleted" : "are deleted";
                };
        return new ActionResult(
                said + (left == 0 ? "." : "; " + Numbers.count(left) + " could not be changed."), choice.back());
    }

    private ActionResult begin(Choice choice) {
        JobQuery query = choice.query();
        // What fails from now on is not meant.
        JobQuery closed = query.state() == JobState.FAILED || query.state() == JobState.CANCELLED
                ? query.until(queries.now())
                : query;
        BulkChange change = new BulkChange(choice.action(), closed, choice.queue());
        String title = actions(query.state()).get(choice.action()) + " " + choice.objects(null)
                + (choice.queue() == null ? "" : " to queue " + choice.queue());
        Count count = count(closed);
        Long expected = count != null && count.all() ? Long.valueOf(count.jobs()) : null;
        return BulkPages.started(
                runs.start(title, choice.back(), expected, run -> data.jobs().change(change, run::step)));
    }
}
