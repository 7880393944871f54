package dev.howdah.console.internal.overview;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.console.internal.overview.AttentionNotices.Notice;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.view.TimeText;
import dev.howdah.health.Cause;
import dev.howdah.task.Task;
import dev.howdah.task.TaskException;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Names tables of tasks in which a task waits for long, with the cause. */
final class TaskNotices {
    /** Of the first tables only: each takes a statement or two. */
    private static final int MOST_TABLES = 20;

    /** With these no task of the table runs. */
    private static final Set<String> CRITICAL = Set.of("no-scheduler", "scheduler-foreign", "scheduler-silent");

    private static final String NO_SUCH_TABLE = "42P01";

    private final ConsoleData data;

    TaskNotices(ConsoleData data) {
        this.data = data;
    }

    /** @param wait a task that is due and has not begun for longer is named */
    List<Notice> find(Instant now, Duration wait) {
        List<TableName> tables = data.tables().get();
        List<Notice> notices = new ArrayList<>();
        for (TableName each : tables.subList(0, Math.min(MOST_TABLES, tables.size()))) {
            try {
                add(notices, each, tables.size() < 2, now, wait);
            } catch (TaskException e) {
                // Its scheduler creates it.
                if (!e.sqlState().equals(NO_SUCH_TABLE)) throw e;
            }
        }
        return notices;
    }

    private void add(List<Notice> notices, TableName name, boolean isOnly, Instant now, Duration wait) {
        TaskTable table = data.tasks(name);
        TaskQuery next = TaskQuery.all().state(TaskState.PLAN).limit(1);
        for (Task task : table.list(next).tasks()) {
            if (!task.plan().isBefore(now.minus(wait))) return;
            List<Cause> causes = table.why(task.id());
            // It may have waited for too long by now, because no scheduler is there.
            Cause cause = causes.stream()
                    .filter(each -> CRITICAL.contains(each.code()))
                    .findFirst()
                    .orElse(causes.get(0));
            notices.add(new Notice(
                    CRITICAL.contains(cause.code()),
                    "Tasks of " + name.text() + " wait for " + TimeText.duration(task.plan(), now) + ". "
                            + cause.sentence(),
                    "/tasks/" + task.id() + (isOnly ? "" : "?table=" + PageRequest.encoded(name.text()))));
        }
    }
}
