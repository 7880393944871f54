package dev.howdah.console.internal.task;

import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.console.internal.form.FormFields;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.schedule.NextTime;
import dev.howdah.task.NewTask;
import dev.howdah.task.Task;
import dev.howdah.task.TaskCheck;
import dev.howdah.task.TaskException;
import dev.howdah.task.TaskTable;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The form of a new task: {@code /tasks/new?table=}, with what task 7 has {@code &from=7}; or of one that waits: {@code
 * /tasks/{id}/edit?table=}. It is checked before it can be stored.
 */
public final class TaskFormPage implements PageController {
    private static final int TIMES = 5;

    private final TaskTables tables;

    TaskFormPage(TaskTables tables) {
        this.tables = tables;
    }

    /**
     * What the template shows.
     *
     * @param id of the task that is edited; null: it is a new one
     * @param version of the task that is edited, see {@link TaskForm#version}; empty: it is a new one
     * @param isRight whether it was checked, and can be added
     * @param sqlError what PostgreSQL says of the SQL, and where; null: nothing
     * @param unchecked why the SQL was not checked; null: it was
     * @param refusal what the database says, where that is about no field; null: nothing
     * @param next the next times of the cron expression
     */
    public record Model(
            @Nullable Long id,
            String version,
            FormFields fields,
            List<TableName> tables,
            TableName table,
            boolean isRight,
            @Nullable String sqlError,
            @Nullable String unchecked,
            @Nullable String refusal,
            List<NextTime> next) {
        /** The path of the form. */
        public String path() {
            String of = id == null ? "/tasks/new" : "/tasks/" + id + "/edit";
            return of + "?table=" + PageRequest.encoded(table.text());
        }
    }

    /** The choices of the column {@code once}. */
    public static Map<String, String> ends() {
        Map<String, String> ends = new LinkedHashMap<>();
        ends.put("", "as the table has it: written after its transactions");
        ends.put("yes", "in one transaction with its effects: exactly once");
        return ends;
    }

    @Override
    public Page page(PageRequest request) {
        TableName table = tables.of(request);
        Long id = request.names().containsKey("id") ? Long.valueOf(request.id()) : null;
        String title = id == null ? "New task" : "Edit task " + id;
        return new Page(title, Section.TASKS, new Part("form", "task-form.jte", () -> model(request, table, id)))
                .still();
    }

    private TaskForm first(PageRequest request, TaskTable tasks, @Nullable Long id) {
        long from = id == null ? request.number("from", 0, 1, Long.MAX_VALUE) : id;
        if (from == 0) return TaskForm.empty();
        Task task =
                tasks.find(from).orElseThrow(() -> new NotFoundException("There is no task " + from + " any more."));
        return id == null ? TaskForm.of(task) : TaskForm.stored(task);
    }

    private Model model(PageRequest request, TableName table, @Nullable Long id) {
        TaskTable tasks = tables.table(request);
        if (request.text("check") == null) {
            TaskForm first = first(request, tasks, id);
            String version = id == null ? "" : first.version();
            return new Model(id, version, first.fields(), tables.all(), table, false, null, null, null, List.of());
        }
        TaskForm form = TaskForm.read(request::text);
        String version = Objects.requireNonNullElse(request.text("version"), "");
        NewTask task = form.task();
        if (task == null)
            return new Model(id, version, form.fields(), tables.all(), table, false, null, null, null, List.of());
        try {
            TaskCheck check = tasks.check(task);
            return new Model(
                    id,
                    version,
                    form.fields(),
                    tables.all(),
                    table,
                    true,
                    error(form.fields().value(TaskForm.INPUT), check),
                    check.unchecked(),
                    null,
                    next(form.fields()));
        } catch (TaskException e) {
            String refusal = form.refused(e);
            return new Model(id, version, form.fields(), tables.all(), table, false, null, null, refusal, List.of());
        }
    }

    private static @Nullable String error(String sql, TaskCheck check) {
        if (check.error() == null || check.position() == 0) return check.error();
        String before = sql.substring(0, Math.min(sql.length(), check.position() - 1));
        long line = before.chars().filter(each -> each == '\n').count() + 1;
        return check.error() + " (line " + line + ", column " + (before.length() - before.lastIndexOf('\n')) + ")";
    }

    private static List<NextTime> next(FormFields fields) {
        String cron = fields.text(TaskForm.CRON);
        if (cron.isEmpty()) return List.of();
        String zone = fields.text(TaskForm.ZONE);
        return NextTime.ofCron(cron, zone.isEmpty() ? null : zone, Instant.now(), TIMES);
    }
}
