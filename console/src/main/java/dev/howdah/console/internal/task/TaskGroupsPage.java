package dev.howdah.console.internal.task;

import dev.howdah.console.internal.chart.ChartReader;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.task.TaskCounts;
import java.util.List;

/** The groups of tasks that run or are due: {@code /tasks/groups?table=&range=&group=}. */
public final class TaskGroupsPage implements PageController {
    private static final int SHOWN = 200;

    private final TaskTables tables;
    private final ChartReader charts;

    TaskGroupsPage(ConsoleData data, TaskTables tables) {
        this.tables = tables;
        this.charts = new ChartReader(data);
    }

    /**
     * What the template shows.
     *
     * @param isAll whether all due tasks were counted
     */
    public record Model(TableName table, List<TaskCounts.Group> groups, boolean isAll) {
        /** The charts of a group. */
        public String charts(TaskCounts.Group group) {
            return "/tasks/groups?table=" + PageRequest.encoded(table.text()) + "&group="
                    + PageRequest.encoded(group.group());
        }

        /** The list of the tasks of a group in a state. */
        public String path(TaskCounts.Group group, String state) {
            return "/tasks?table=" + PageRequest.encoded(table.text()) + "&state=" + state + "&group="
                    + PageRequest.encoded(group.group());
        }

        /** How many of a group run at the same time. */
        public String limit(TaskCounts.Group group) {
            if (group.max() == Integer.MAX_VALUE) return "–";
            return group.max() < 0 ? "1, then a pause" : Long.toString(group.max() + 1L);
        }
    }

    @Override
    public Page page(PageRequest request) {
        TableName table = tables.of(request);
        ChartReader.range(request);
        Part charts = new Part("charts", "charts.jte", () -> this.charts.tasks(request, table));
        return new Page("Groups of tasks", Section.TASKS, charts, new Part("groups", "task-groups.jte", () -> {
            List<TaskCounts.Group> groups = tables.table(request).groups(SHOWN);
            long due = groups.stream().mapToLong(TaskCounts.Group::due).sum();
            return new Model(table, groups, due < TaskCounts.Group.MOST_DUE && groups.size() < SHOWN);
        }));
    }
}
