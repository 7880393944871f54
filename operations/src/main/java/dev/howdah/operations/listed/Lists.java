package dev.howdah.operations.listed;

import dev.howdah.operations.list.ListModel;
import java.util.List;

/** All lists. */
public final class Lists {
    private Lists() {}

    /** All lists, by subject. */
    public static List<ListModel<?>> all() {
        return List.of(
                JobLists.JOBS,
                JobLists.ERRORS,
                TaskLists.TASKS,
                TaskLists.TASK_GROUPS,
                ChartLists.TASKS,
                TaskLists.TASK_SCHEDULES,
                TaskLists.TASK_SCHEDULE_RUNS,
                ProcessLists.NAMESPACES,
                ProcessLists.PROCESSES,
                ProcessLists.TRACE,
                ProcessLists.TIMERS,
                ProcessLists.NOTICES,
                SweepLists.SWEEPS,
                SweepLists.ERRORS,
                SweepLists.GENERATIONS,
                ChartLists.SWEEP,
                QueueLists.QUEUES,
                ChartLists.JOBS,
                ChartLists.ERRORS,
                QueueLists.LIMITS,
                QueueLists.ALL_LIMITS,
                QueueLists.LOG_READERS,
                QueueLists.TAGS,
                QueueLists.RETENTION,
                NodeLists.NODES,
                NodeLists.ENDED,
                ChartLists.DEPLOYMENTS,
                ScheduleLists.SCHEDULES,
                ScheduleLists.SCHEDULE_JOBS,
                ScheduleLists.CALENDARS,
                WorkflowLists.WORKFLOWS,
                WorkflowLists.PIPELINES,
                DatabaseLists.CHECKS,
                DatabaseLists.SESSIONS,
                DatabaseLists.AUDIT,
                DatabaseLists.TOKENS);
    }
}
