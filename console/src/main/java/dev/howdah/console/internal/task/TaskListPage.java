package dev.howdah.console.internal.task;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
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
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListPage;
import dev.howdah.operations.listed.TaskLists;
import dev.howdah.task.Task;
import dev.howdah.task.TaskCounts;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The list of tasks: {@code /tasks?table=&state=&group=&owner=&text=&sort=&show=&hide=&after=&limit=}. */
public final class TaskListPage implements PageController {
    private static final int MOST_COLUMNS = 12;

    private final TaskTables tables;
    private final OwnColumns own;

    TaskListPage(TaskTables tables) {
        this.tables = tables;
        this.own = new OwnColumns(tables.data());
    }

    /**
     * What the template shows.
     *
     * @param byPlan null: it cannot be sorted by plan
     * @param searchedTo the task at which the search has stopped; 0: it went to the end
     * @param isBackwards whether it was looked for backwards, from a place on
     * @param links the pages beside this one
     * @param own the columns of the users' own, which can be shown
     * @param columns those of them that are shown
     * @param values of these columns, by the ids of the tasks
     */
    public record Model(
            List<Tab> tabs,
            Pager.Column byId,
            Pager.@Nullable Column byPlan,
            List<TableName> tables,
            TableName table,
            TaskQuery query,
            List<Task> tasks,
            long searchedTo,
            boolean isBackwards,
            ListLinks links,
            List<String> own,
            List<String> columns,
            Map<Long, List<@Nullable String>> values) {
        /** The value of a column of the users' own that is shown; empty: it has none. */
        public String own(Task task, int column) {
            List<@Nullable String> all = values.get(task.id());
            String value = all == null || all.isEmpty() ? null : all.get(column);
            return Objects.requireNonNullElse(value, "");
        }

        /** The parameters of the list that are its filter. */
        public List<String> filterNames() {
            return ChangeTasks.FILTER;
        }

        /** What stands beside the box for all. */
        public String all() {
            return isFiltered() ? "All that match this filter" : "All tasks";
        }

        /** The names of the actions for these tasks, and the words of their buttons. */
        public Map<String, String> actions() {
            return ChangeTasks.actions(query.state());
        }

        /** Whether the list is restricted. */
        public boolean isFailed() {
            return query.state() == TaskState.FAIL;
        }

        public boolean isFiltered() {
            return query.state() != null || !TaskLists.words(query).isEmpty();
        }

        /** The path of the form of a new task. */
        public String newPath() {
            return tables.size() < 2 ? "/tasks/new" : "/tasks/new?table=" + PageRequest.encoded(table.text());
        }

        /** The path of the groups of the table. */
        public String groupsPath() {
            return tables.size() < 2 ? "/tasks/groups" : "/tasks/groups?table=" + PageRequest.encoded(table.text());
        }

        /** The path of a task of the list. */
        public String path(Task task) {
            String path = "/tasks/" + task.id();
            return tables.size() < 2 ? path : path + "?table=" + PageRequest.encoded(table.text());
        }
    }

    @Override
    public List<String> searches() {
        return TaskLists.TASKS.searches();
    }

    @Override
    public Page page(PageRequest request) {
        TableName table = tables.of(request);
        request.call(TaskLists.TASKS, tables.data());
        return new Page("Tasks", Section.TASKS, new Part("tasks", "tasks.jte", () -> model(request, table)));
    }

    static TaskQuery query(PageRequest request, ConsoleData data) {
        ListCall call = request.call(TaskLists.TASKS, data);
        try {
            return TaskLists.query(call.values()).order(TaskLists.TASKS.order(call, TaskQuery.Order.class));
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(String.valueOf(e.getMessage()));
        }
    }

    private Model model(PageRequest request, TableName table) {
        TaskQuery query = query(request, tables.data());
        ListPage<Task> page = request.read(TaskLists.TASKS, tables.data());
        List<String> own = this.own.of(table);
        List<String> columns = columns(request, own);
        return new Model(
                tabs(request, tables.table(request).counts(), query),
                Pager.column(request, "Id", query.inOrder(), TaskQuery.Order.NEWEST, TaskQuery.Order.OLDEST, false),
                query.state() != TaskState.PLAN
                        ? null
                        : Pager.column(
                                request,
                                "Planned",
                                query.inOrder(),
                                TaskQuery.Order.SOONEST,
                                TaskQuery.Order.LATEST,
                                true),
                tables.all(),
                table,
                query,
                page.rows(),
                page.facts().get("searched_to") instanceof Long searched ? searched : 0,
                request.text("before") != null,
                ListLinks.of(page.beside(), request),
                own,
                columns,
                this.own.values(table, columns, page.rows()));
    }

    /** Those of the columns that the request names. */
    private static List<String> columns(PageRequest request, List<String> own) {
        String asked = request.text("show");
        if (asked == null) return List.of();
        return Arrays.stream(asked.split(","))
                .filter(own::contains)
                .distinct()
                .limit(MOST_COLUMNS)
                .toList();
    }

    private static List<Tab> tabs(PageRequest asked, TaskCounts counts, TaskQuery query) {
        TaskState chosen = query.state();
        TaskQuery.Order order = query.inOrder();
        // Other states have no order by plan.
        boolean isByPlan = order == TaskQuery.Order.SOONEST || order == TaskQuery.Order.LATEST;
        PageRequest request = isByPlan ? asked.without("sort") : asked;
        List<Tab> tabs = new ArrayList<>();
        tabs.add(new Tab(null, request.with("state", null), null, chosen == null));
        for (TaskState state : TaskState.values()) {
            long most = state == TaskState.PLAN ? TaskCounts.MOST_PLANNED : Long.MAX_VALUE;
            tabs.add(new Tab(
                    StateBadge.of(state),
                    request.with("state", state.name()),
                    Numbers.counted(Math.min(counts.of(state), most), counts.isExact(state)),
                    state == chosen));
        }
        return tabs;
    }
}
