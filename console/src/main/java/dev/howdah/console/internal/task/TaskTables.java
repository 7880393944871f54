package dev.howdah.console.internal.task;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.task.TaskTable;
import java.util.List;

/** The tables of tasks, of which the parameter {@code table} names one. */
public final class TaskTables {
    private final ConsoleData data;

    public TaskTables(ConsoleData data) {
        this.data = data;
    }

    public ConsoleData data() {
        return data;
    }

    public List<TableName> all() {
        return data.tables().get();
    }

    /** The one that the request names; the first if it names none. */
    public TableName of(PageRequest request) {
        if (all().isEmpty()) throw new NotFoundException("No table of tasks is served here.");
        try {
            return data.table(request.text("table"));
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(String.valueOf(e.getMessage()));
        }
    }

    public TaskTable table(PageRequest request) {
        return data.tasks(of(request));
    }

    /** The path of a task, with its table where there are several. */
    public String path(TableName table, long id) {
        String path = "/tasks/" + id;
        return all().size() < 2 ? path : path + "?table=" + PageRequest.encoded(table.text());
    }
}
