package dev.howdah.console.internal.job;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.Recent;
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
import dev.howdah.job.query.QueueSummary;
import dev.howdah.operations.change.JobOperations;
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListPage;
import dev.howdah.operations.listed.JobLists;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.read.KindTotals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The list of jobs: {@code /jobs?state=&queue=&kind=&key=&tag=&node=&error=&payload=&from=&until=&sort=&after=&limit=}. */
public final class JobListPage implements PageController {
    private final ConsoleData data;
    private static final int SUGGESTIONS = 100;

    /** Names of queues and kinds are suggested, and new ones are rare. */
    private static final Duration NAMES_AGE = Duration.ofSeconds(30);

    /** What has gone wrong is read first, then what waits. */
    private static final List<JobState> TABS = List.of(
            JobState.FAILED,
            JobState.RETRYING,
            JobState.WAITING,
            JobState.RUNNING,
            JobState.PLANNED,
            JobState.SUSPENDED,
            JobState.FOLLOWING,
            JobState.DONE,
            JobState.CANCELLED);

    private final EngineReads queries;
    private final Supplier<List<String>> queues;
    private final Supplier<List<String>> kinds;

    JobListPage(ConsoleData data, EngineReads queries) {
        this.data = data;
        this.queries = queries;
        this.queues = new Recent<>(
                NAMES_AGE,
                () -> data.jobs().queues(1).stream()
                        .map(QueueSummary::name)
                        .limit(SUGGESTIONS)
                        .toList());
        this.kinds = new Recent<>(
                NAMES_AGE,
                () -> queries.kinds(Duration.ofDays(7), null, SUGGESTIONS).stream()
                        .map(KindTotals::kind)
                        .sorted()
                        .toList());
    }

    /**
     * What the template shows.
     *
     * @param searchedTo how far a search has looked that was not at the end after a tenth of a second; null: to the end, or until the page was full
     * @param isOfNode whether they are of one node: all of those are not changed at once
     * @param isBackwards whether it was looked for backwards, from a place on
     * @param links the pages beside this one
     * @param queues names for the filter
     * @param kinds names for the filter
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
            ListLinks links,
            List<String> queues,
            List<String> kinds) {
        /** Whether there is no job in any state, as far as is counted. */
        public boolean isNone() {
            return tabs.stream()
                    .allMatch(each -> each.count() != null && each.count().startsWith("0"));
        }

        /** The parameters of the list that are its filter. */
        public List<String> filterNames() {
            return ChangeJobs.FILTER;
        }

        /** Keys for the filter: those that are seen. */
        public List<String> keys() {
            return jobs.stream()
                    .map(JobSummary::key)
                    .filter(Objects::nonNull)
                    .distinct()
                    .toList();
        }

        /** Tags for the filter: those that are seen. */
        public List<String> tags() {
            return jobs.stream()
                    .flatMap(each -> each.tags().stream())
                    .distinct()
                    .sorted()
                    .limit(SUGGESTIONS)
                    .toList();
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
                    false,
                    List.of(),
                    byId,
                    query.state(),
                    List.of(),
                    filtered,
                    false,
                    null,
                    false,
                    ListLinks.NONE,
                    List.of(),
                    List.of());
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
                ListLinks.of(page.beside(), request),
                queues.get(),
                kinds.get());
    }

    private static List<Tab> tabs(PageRequest request, JobCounts counts, JobState chosen) {
        List<Tab> tabs = new ArrayList<>();
        for (JobState state : TABS)
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
