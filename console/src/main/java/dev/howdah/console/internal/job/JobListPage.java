package dev.howdah.console.internal.job;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.list.ListLinks;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Pager;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.page.Tab;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.StateBadge;
import dev.howdah.job.query.BulkChange.Action;
import dev.howdah.job.query.JobCounts;
import dev.howdah.job.query.JobOrder;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.operations.change.JobOperations;
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListPage;
import dev.howdah.operations.listed.JobLists;
import dev.howdah.operations.read.EngineReads;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The list of jobs: {@code /jobs?state=&queue=&kind=&key=&tag=&node=&error=&from=&until=&sort=&after=&limit=}. */
public final class JobListPage implements PageController {
    private final ConsoleData data;
    private final EngineReads queries;

    JobListPage(ConsoleData data, EngineReads queries) {
        this.data = data;
        this.queries = queries;
    }

    /**
     * What the template shows.
     *
     * @param searchedTo how far a search has looked that was not at the end after a tenth of a second; null: to the end, or until the page was full
     * @param isOfNode whether they are of one node: all of those are not changed at once
     * @param isBackwards whether it was looked for backwards, from a place on
     * @param links the pages beside this one
     */
    public record Model(
            boolean isInstalled,
            List<Tab> tabs,
            Pager.Column byId,
            JobState state,
            List<JobSummary> jobs,
            boolean isFiltered,
            boolean isOfNode,
            @Nullable Object searchedTo,
            boolean isBackwards,
            ListLinks links) {
        /** The parameters of the list that are its filter. */
        public List<String> filterNames() {
            return ChangeJobs.FILTER;
        }

        /** The names of the actions for jobs that were selected, and the words of their buttons. */
        public Map<String, String> actions() {
            Map<String, String> actions = new LinkedHashMap<>();
            JobOperations.actions(state).forEach((action, word) -> {
                if (action != Action.MOVE) actions.put(action.name().toLowerCase(Locale.ROOT), word);
            });
            return actions;
        }

        /** Whether they can be moved to another queue. */
        public boolean isMovable() {
            return JobOperations.actions(state).containsKey(Action.MOVE);
        }

        /** Whether jobs in the state have a node. */
        public boolean isNodeKnown() {
            return JobQuery.hasNode(state);
        }

        /** What stands beside the box for all; null: all cannot be changed. */
        public @Nullable String all() {
            if (state == JobState.RUNNING || isOfNode) return null;
            return isFiltered
                    ? "All that match this filter"
                    : "All " + StateBadge.of(state).word() + " jobs";
        }
    }

    @Override
    public List<String> searches() {
        return JobLists.JOBS.searches();
    }

    @Override
    public Page page(PageRequest request) {
        request.call(JobLists.JOBS, data);
        return new Page("Jobs", Section.JOBS, new Part("jobs", "jobs.jte", () -> model(request)));
    }

    /** The query of a request, from the first job on; jobs that run if it names no state. */
    static JobQuery query(PageRequest request, ConsoleData data) {
        try {
            return JobLists.query(request.call(JobLists.JOBS, data).values());
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(String.valueOf(e.getMessage()));
        }
    }

    private Model model(PageRequest request) {
        ListCall call = request.call(JobLists.JOBS, data);
        JobQuery query = query(request, data);
        boolean filtered = JobLists.JOBS.isFiltered(call);
        Pager.Column byId = Pager.column(
                request, "Id", JobLists.JOBS.order(call, JobOrder.class), JobOrder.NEWEST, JobOrder.OLDEST, false);
        if (!queries.installed().jobs())
            return new Model(
                    false, List.of(), byId, query.state(), List.of(), filtered, false, null, false, ListLinks.NONE);
        ListPage<JobSummary> page = request.read(JobLists.JOBS, data);
        return new Model(
                true,
                tabs(request, data.jobs().counts(), query.state()),
                byId,
                query.state(),
                page.rows(),
                filtered,
                query.node() != null,
                page.facts().get("searched_to"),
                call.isBackwards(),
                ListLinks.of(page.beside(), request));
    }

    private static List<Tab> tabs(PageRequest request, JobCounts counts, JobState chosen) {
        List<Tab> tabs = new ArrayList<>();
        for (JobState state : JobState.values())
            tabs.add(new Tab(
                    StateBadge.of(state),
                    (JobQuery.hasNode(state) ? request : request.without("node"))
                            .with("state", state.name().toLowerCase(Locale.ROOT)),
                    Numbers.counted(counts.of(state), counts.isExact(state))
                            + (state == JobState.DONE ? " in the last hour" : ""),
                    state == chosen));
        return tabs;
    }
}
