package dev.howdah.console.internal.job;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.list.ListPlace;
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
import dev.howdah.job.query.JobPage;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.operations.change.JobOperations;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The list of jobs: {@code /jobs?state=&queue=&kind=&key=&tag=&node=&error=&since=&until=&sort=&after=&limit=}. */
public final class JobListPage implements PageController {
    private final ConsoleData data;
    private final ConsoleQueries queries;

    JobListPage(ConsoleData data, ConsoleQueries queries) {
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
            JobPage.@Nullable SearchedTo searchedTo,
            boolean isBackwards,
            ListPlace.Links links) {
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
        return List.of("error");
    }

    @Override
    public Page page(PageRequest request) {
        JobQuery query = query(request);
        ListPlace place = ListPlace.of(request);
        at(query, place);
        return new Page("Jobs", Section.JOBS, new Part("jobs", "jobs.jte", () -> model(request, query, place)));
    }

    /** The query as it is read from that place. */
    private static JobQuery at(JobQuery query, ListPlace place) {
        try {
            return query.order(place.isBackwards() ? query.order().opposite() : query.order())
                    .after(place.start());
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(String.valueOf(e.getMessage()));
        }
    }

    /** The query of a request, from the first job on; jobs that run if it names no state. */
    static JobQuery query(PageRequest request) {
        JobState state = request.choice("state", JobState.class);
        try {
            JobQuery query = JobQuery.in(state == null ? JobState.RUNNING : state)
                    .limit((int) request.number("limit", 50, 1, 200));
            String queue = request.text("queue");
            if (queue != null) query = query.queue(queue);
            String kind = request.text("kind");
            if (kind != null) query = query.kind(kind);
            String key = request.text("key");
            if (key != null) query = query.key(key);
            String error = request.text("error");
            if (error != null) query = query.error(error);
            String tag = request.text("tag");
            if (tag != null) query = query.tag(tag);
            if (request.text("node") != null) query = query.node((int) request.number("node", 0, 1, Integer.MAX_VALUE));
            Instant since = request.moment("since", false);
            if (since != null) query = query.from(since);
            Instant until = request.moment("until", true);
            if (until != null) query = query.until(until);
            JobOrder order = request.choice("sort", JobOrder.class);
            if (order != null) query = query.order(order);
            return query;
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(String.valueOf(e.getMessage()));
        }
    }

    private Model model(PageRequest request, JobQuery query, ListPlace place) {
        boolean installed = queries.installed().jobs();
        boolean filtered = query.queue() != null
                || query.kind() != null
                || query.key() != null
                || query.error() != null
                || query.from() != null
                || query.until() != null
                || query.node() != null
                || !query.tags().isEmpty();
        Pager.Column byId = Pager.column(request, "Id", query.order(), JobOrder.NEWEST, JobOrder.OLDEST, false);
        if (!installed)
            return new Model(
                    false,
                    List.of(),
                    byId,
                    query.state(),
                    List.of(),
                    filtered,
                    false,
                    null,
                    false,
                    ListPlace.Links.NONE);
        JobPage page = data.jobs().search(at(query, place));
        if (place.isPastFirst(page.jobs(), page.searchedTo() != null)) return model(request, query, ListPlace.FIRST);
        JobQuery further = page.next();
        return new Model(
                true,
                tabs(request, data.jobs().counts(), query.state()),
                byId,
                query.state(),
                place.inOrder(page.jobs()),
                filtered,
                query.node() != null,
                page.searchedTo(),
                place.isBackwards(),
                place.beside(further == null ? null : further.after(), page.first())
                        .links(request));
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
